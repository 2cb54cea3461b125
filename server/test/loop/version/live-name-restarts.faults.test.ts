// A pipeline's name while its server is stopped or killed under load, and started again on the same folder and port: calls are
// answered wholly or fail visibly, the name answers with the same version again by itself, and each whole answer is charged once.
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pipeline } from '#contract/pipeline.ts'
import { freePort } from '#test/support/free-port.ts'
import {
  chosenOwner,
  databaseUrlIn,
  honeProcess,
  type HoneProcess,
} from '#test/support/hone-process.ts'
import { judgeServers } from '#test/support/judge-servers.ts'
import { ask, loopFolder, makeDesk, putLive } from '#test/support/loop-process.ts'
import { callAndKeep, checkBooks, type Received } from '#test/support/paying-clients.ts'
import { until } from '#test/support/until.ts'

const requests = 500
const clients = 16
/** So many answers have begun when the server is stopped. */
const begunBefore = 200
const retryMs = 50
const body = { model: 'loop-desk', stream: true, temperature: 0, max_tokens: 5 }
const { key } = chosenOwner

type Outcome = Received & {
  /** One server listened from before its start until after its end. */
  undisturbed: boolean
}

type Rig = { hone: HoneProcess; listens: boolean; url: string; id: string }

async function openRig(t: TestContext): Promise<Rig> {
  const judges = await judgeServers()
  t.after(() => judges.close())
  const dataDir = await loopFolder(judges)
  const hone = honeProcess({ dataDir, env: { PORT: String(await freePort()) } })
  const url = await hone.listening()
  const id = await makeDesk(url)
  await putLive(url, dataDir, id)
  return { hone, listens: true, url, id }
}

/** Clients that call again after each answer, and after a while where they were refused, until so many answers have begun. */
function load(rig: Rig): { outcomes: Outcome[]; begun: () => number; done: Promise<unknown> } {
  const outcomes: Outcome[] = []
  let begun = 0
  let left = requests
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const server = rig.listens ? rig.hone : null
      const received = await callAndKeep(rig.url, key, body, () => (begun += 1))
      const undisturbed = rig.listens && server === rig.hone
      outcomes.push({ ...received, undisturbed })
      if (received.status === 200) continue
      left += 1
      await delay(retryMs)
    }
  }
  const done = Promise.all(Array.from({ length: clients }, one))
  return { outcomes, begun: () => begun, done }
}

async function restart(rig: Rig, signal: NodeJS.Signals): Promise<void> {
  rig.listens = false
  rig.hone.kill(signal)
  const how = signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null }
  assert.deepEqual(await rig.hone.ended, how, rig.hone.stderr)
  rig.hone = await rig.hone.restart()
  assert.equal(await rig.hone.listening(), rig.url)
  rig.listens = true
}

/** What a whole stream says. */
function textOf({ text }: Received): string {
  const records = text.split('\n\n').filter((record) => record.startsWith('data: {'))
  return records
    .map((record) => JSON.parse(record.slice('data: '.length)) as StreamRecord)
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('')
}

type StreamRecord = { choices: { delta: { content?: string } }[] }

/** A call that is not streamed says what each of them costs, and all of them answer the same. */
function costOf({ text }: Received): bigint {
  const { usage } = JSON.parse(text) as {
    usage: { prompt_tokens: number; completion_tokens: number }
  }
  return BigInt(usage.prompt_tokens) * 100_000n + BigInt(usage.completion_tokens) * 400_000n
}

async function answersWithFirstVersion({ url, id }: Rig, says: string): Promise<Received> {
  const answer = await callAndKeep(url, key, body)
  assert.ok(answer.complete, answer.text)
  assert.equal(textOf(answer), says)
  const { json } = await ask(url, 'GET', `/api/loop/pipelines/${id}`)
  assert.equal((json as never as { pipeline: Pipeline }).pipeline.live_version, 1)
  return answer
}

type Kind = 'whole' | 'refused' | 'not taken' | 'cut'

/** The way a call ended, if it is one of those in which it may. */
function kindOf(outcome: Outcome, { says, signal }: { says: string; signal: string }): Kind {
  const { status, text, complete, broken, undisturbed } = outcome
  const shown = JSON.stringify(outcome)
  if (complete) {
    assert.match(text, /"finish_reason":"(stop|length)"/)
    assert.equal(textOf(outcome), says)
    return 'whole'
  }
  assert.ok(!undisturbed, shown)
  if (broken !== null) {
    assert.doesNotMatch(text, /\[DONE\]/)
    // A connection that is made in the moment in which the port is closed is reset.
    const notTaken = signal === 'SIGTERM' ? ['ECONNREFUSED', 'ECONNRESET'] : ['ECONNREFUSED']
    return status === 0 && notTaken.includes(broken) ? 'not taken' : 'cut'
  }
  assert.equal(status, 503, shown)
  assert.match(text, /^\{"error":\{/)
  return 'refused'
}

describe('a name under load', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`survives the ${signal} of its server`, async (t) => {
      const rig = await openRig(t)
      const whole = await callAndKeep(rig.url, key, { ...body, stream: false })
      const first = await callAndKeep(rig.url, key, body)
      assert.ok(whole.complete && first.complete, first.text)
      const says = textOf(first)
      const { outcomes, begun, done } = load(rig)
      await until(() => begun() >= begunBefore)
      const { hone } = rig
      await restart(rig, signal)
      const afterwards = await answersWithFirstVersion(rig, says)
      await done
      const kinds = Object.groupBy(outcomes, (outcome) => kindOf(outcome, { says, signal }))
      assert.ok(kinds['not taken'], 'clients called while nothing listened')
      if (signal === 'SIGTERM') {
        assert.deepEqual([kinds.cut, kinds.whole?.length], [undefined, requests])
        assert.doesNotMatch(hone.stdout, /"status":499/, 'what the server took was answered')
      } else {
        assert.ok(kinds.cut, 'calls were under way')
      }
      await restart(rig, 'SIGTERM')
      const answers = [whole, first, ...outcomes, afterwards]
      await checkBooks(databaseUrlIn(rig.hone.dataDir), answers, {
        // What was delivered in the moment of the kill may be unbilled.
        unbilledMax: signal === 'SIGKILL' ? clients : 0,
        costPicodollars: costOf(whole),
      })
      await answersWithFirstVersion(rig, says)
      rig.hone.kill('SIGTERM')
      await rig.hone.ended
    })
  }
})
