// Kills the real server at every point of a call and at random moments under load, starts it again on the same
// folder, and holds the ledger against what the clients received.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CallPoint } from '#server/lib/crash-point.ts'
import { isAlive, serversUnder } from '#test/storage/embedded-postgres/scratch.ts'
import {
  chosenOwner,
  databaseUrlIn,
  honeProcess,
  type HoneProcess,
  preparedFolder,
} from '#test/support/hone-process.ts'
import {
  callAndKeep,
  callUntilGone,
  checkBooks,
  type Received,
} from '#test/support/paying-clients.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { testSeed } from '#test/support/test-seed.ts'
import { until } from '#test/support/until.ts'

const points: Record<CallPoint, true> = {
  admitted: true,
  sent: true,
  'first-byte': true,
  'usage-seen': true,
  'last-byte': true,
  'written-down': true,
  'before-commit': true,
  'after-commit': true,
}
// Late enough that calls of every stage are under way.
const nth = 7
const costPicodollars = 13_000_000n
const killed = { code: null, signal: 'SIGKILL' }

let upstream: ScriptedUpstream
before(async () => {
  upstream = await scriptedUpstream()
})
after(() => upstream.close())

async function folder(): Promise<string> {
  const dataDir = await preparedFolder()
  const catalog = scriptedCatalog(upstream.baseUrl)
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalog))
  return dataDir
}

/** Starts again after a crash, checks, and says so to the operator. */
async function checked(
  crashed: HoneProcess,
  answers: Received[],
  unbilledMax: number,
): Promise<HoneProcess> {
  assert.deepEqual(await crashed.ended, killed, crashed.stderr)
  const next = await crashed.restart({})
  await next.listening()
  await checkBooks(databaseUrlIn(next.dataDir), answers, { unbilledMax, costPicodollars })
  const warning =
    /"level":40,.*"returned_usd":"[\d.]+".*a process ended without returning the funds it had leased/
  await until(() => warning.test(next.stdout))
  return next
}

async function stopped(hone: HoneProcess): Promise<void> {
  hone.kill('SIGTERM')
  assert.deepEqual(await hone.ended, { code: 0, signal: null }, hone.stderr)
}

describe('killed inside a call', { concurrency: 2 }, () => {
  for (const stream of [false, true]) {
    test(`at every point of ${stream ? 'streamed' : 'whole'} answers, nobody pays for what did not arrive`, async () => {
      const clients = 4
      const answers: Received[] = []
      let hone: HoneProcess | null = null
      let crashes = 0
      for (const point of Object.keys(points)) {
        const env = { HONE_CRASH_AT: `${point}:${nth}` }
        hone = hone ? await hone.restart(env) : honeProcess({ dataDir: await folder(), env })
        const load = callUntilGone(await hone.listening(), chosenOwner.key, clients, () => ({
          model: 'plain',
          stream,
        }))
        await load.gone
        answers.push(...load.answers)
        crashes += 1
        hone = await checked(hone, answers, crashes * clients)
        await stopped(hone)
      }
    })
  }
})

test('killed at random moments under load, the books add up every time', async () => {
  const clients = 16
  const random = seededRandom()
  const answers: Received[] = []
  const models = ['plain', 'plain', 'plain', 'slow']
  let hone = honeProcess({ dataDir: await folder() })
  for (let round = 1; round <= 4; round++) {
    const load = callUntilGone(await hone.listening(), chosenOwner.key, clients, (client) => ({
      model: models[client % models.length] ?? 'plain',
      stream: client % 2 === 0,
    }))
    const moment = Math.floor(random() * 300)
    await until(() => load.answers.length >= moment, 60_000)
    for (let turn = random() * 50; turn > 0; turn--) await nextTurn()
    hone.kill('SIGKILL')
    await load.gone
    answers.push(...load.answers)
    hone = await checked(hone, answers, round * clients)
  }
  await stopped(hone)
})

test('killed while the database takes nothing, what was delivered is charged at the next start', async () => {
  const hone = honeProcess({ dataDir: await folder() })
  const url = await hone.listening()
  const body = { model: 'plain', stream: false }
  const answers: Received[] = []
  // So many that what the wallet has leased by then pays for some more.
  const before = 6
  for (let call = 0; call < before; call++) {
    answers.push(await callAndKeep(url, chosenOwner.key, body))
  }
  const frozen = serversUnder(hone.dataDir)
  for (const server of frozen) process.kill(server, 'SIGSTOP')
  // Until Hone notices that the database is silent, and says so instead of answering.
  for (let call = 0; call < 20 && answers.at(-1)?.complete; call++) {
    answers.push(await callAndKeep(url, chosenOwner.key, body))
  }
  hone.kill('SIGKILL')
  await hone.ended
  // What watches over the database may have been faster.
  for (const server of frozen) if (isAlive(server)) process.kill(server, 'SIGKILL')
  const delivered = answers.filter(({ complete }) => complete).length
  assert.ok(delivered > before + 1, `none was delivered meanwhile: ${answers.at(-1)?.text}`)
  // The last may have gone out in the very turn in which the process was killed.
  await stopped(await checked(hone, answers, 1))
})

function seededRandom(): () => number {
  let state = testSeed
  return () => {
    // A linear congruential generator is random enough to pick moments.
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 2 ** 31
  }
}
