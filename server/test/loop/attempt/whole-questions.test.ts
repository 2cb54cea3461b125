// What it means over HTTP that whole questions are held back: more samples may be needed than their count says, and what is held back
// stays so, whatever becomes of its samples.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { RunPlan } from '#contract/run-plan.ts'
import { addGood, type Ready, readyPipeline, run, started } from '#test/support/attempts.ts'
import { putVersionLive } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

let clock: ManualClock
let hone: LoopHone
before(async () => {
  clock = new ManualClock()
  hone = await loopHone({ clock, tasks: [] })
  hone.app.learning.compute = new ScriptedCompute(null)
})
after(() => hone.stop())

const call = (method: string, { id }: Ready, path = '', body?: object): Promise<Answer> =>
  hone.call(method, `/api/loop/pipelines/${id}${path}`, {
    key: hone.owner.key,
    ...(body && { body }),
  })

async function plan(ready: Ready): Promise<RunPlan> {
  const answer = await call('POST', ready, '/run', { dry_run: true })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { plan: RunPlan }).plan
}

async function pipelineOf(ready: Ready): Promise<Pipeline> {
  const { json } = await call('GET', ready)
  return (json as unknown as { pipeline: Pipeline }).pipeline
}

async function walked(ready: Ready, until: (attempt: Attempt) => boolean): Promise<Attempt> {
  clock.forward(1000)
  const { id } = await started(hone, ready)
  return walkAttempt(hone, id, { clock, until })
}
const toItsEnd = (ready: Ready) => walked(ready, ({ result }) => result !== 'running')

async function refusedWith(ready: Ready): Promise<unknown[]> {
  const { status, json } = await run(hone, ready)
  const { code, have, need } = json.error as unknown as Record<string, unknown>
  return [status, code, have, need]
}

test('prompts that come three times: what whole questions leave too few is needed as well', async () => {
  const ready = await readyPipeline(hone, 'Three times', { samples: 367 })
  for (let again = 0; again < 2; again++) await addGood(hone, ready.tag, 367)
  const attempt = await toItsEnd(ready)
  assert.deepEqual([attempt.result, attempt.error_code], ['not_tested', 'NOT_ENOUGH_SAMPLES'])
  assert.match(attempt.explanation.detail, /^Only 999 samples could be trained on and 102 held/)

  const expected = [422, 'NOT_ENOUGH_SAMPLES', 1101, 1102]
  assert.deepEqual(await refusedWith(ready), expected)
  const { minimums, next_reason } = await pipelineOf(ready)
  const sentence =
    'All samples of a question are held back together, which left 1 too few to train on.'
  assert.equal(
    minimums.reason,
    `1,101 of 1,102 good or corrected samples are there, so 1 more is needed. ${sentence}`,
  )
  assert.ok(next_reason.includes(sentence), next_reason)
  const { have, need, blocked_by } = await plan(ready)
  assert.deepEqual([have, need, blocked_by], [1101, 1102, 'NOT_ENOUGH_SAMPLES'])
  assert.deepEqual(await refusedWith(ready), expected)

  assert.equal((await call('PUT', ready, '', { holdout: { percent: 6 } })).status, 200)
  assert.equal((await pipelineOf(ready)).minimums.need, 1100, 'what is held back has changed')
  await plan(ready)
  clock.forward(1000)
  await addGood(hone, ready.tag, 1, { said: 'Something new' })
  assert.equal((await pipelineOf(ready)).minimums.ready, true)
  const { train_rows, holdout_rows } = await plan(ready)
  assert.deepEqual([train_rows, holdout_rows], [1002, 100])
})

test('after the first version, copies of what is held back are not what an attempt trains on', async () => {
  const ready = await readyPipeline(hone, 'Copies')
  const first = await walked(ready, ({ phase }) => phase === 'training')
  const { key } = hone.owner
  await hone.call('POST', `/api/loop/training-runs/${first.id}/cancel`, { key })
  await walkAttempt(hone, first.id, { clock, until: ({ result }) => result !== 'running' })
  await putVersionLive(hone, ready.id, { attemptNo: 2, adapter: 'a'.repeat(64) })
  for (const table of ['pipeline_sample', 'pipeline_question']) {
    const learned = `update ${table} set learned_by = 2 where used_by is not null`
    await inDatabase(hone.databaseUrl, `${learned} and pipeline_id = '${ready.id}'`)
  }

  clock.forward(1000)
  await addGood(hone, ready.tag, 1060)
  const attempt = await toItsEnd(ready)
  assert.deepEqual([attempt.result, attempt.error_code], ['not_tested', 'NOT_ENOUGH_SAMPLES'])
  const [, trained = '', held = ''] =
    /^Only (\d+) new samples could be trained on and (\d+) held back\./.exec(
      attempt.explanation.detail,
    ) ?? []
  assert.equal(Number(trained) + Number(held), 1160)
  const { have, need, ready: isReady, new_samples } = (await pipelineOf(ready)).minimums
  assert.deepEqual([need - have, isReady, new_samples], [1000 - Number(trained), false, 1060])
  assert.equal((await run(hone, ready)).status, 422)
})

test('held-back samples that are rejected, asked again and accepted again are never trained on', async () => {
  const ready = await readyPipeline(hone, 'For life', { samples: 1200 })
  const { id } = await walked(
    ready,
    ({ phase }) => phase === 'waiting_for_funds' || phase === 'training',
  )
  const path = `/api/loop/training-runs/${id}`
  const { json } = await hone.call('GET', `${path}/report`, { key: hone.owner.key })
  const { rows: held } = json as unknown as { rows: { sample_id: string; question: string }[] }
  assert.equal(held.length, 25, 'a page of them')
  await hone.call('POST', `${path}/cancel`, { key: hone.owner.key })
  await walkAttempt(hone, id, { clock, until: ({ result }) => result !== 'running' })
  const rows = async () => {
    const { train_rows, holdout_rows } = await plan(ready)
    return [train_rows, holdout_rows]
  }
  assert.deepEqual(await rows(), [1100, 100])

  const mark = async (verdict: string) => {
    for (const { sample_id } of held) {
      const to = `/api/loop/traces/${sample_id}/signals`
      const { status, text } = await hone.call('POST', to, {
        key: hone.owner.key,
        body: { verdict },
      })
      assert.equal(status, 201, text)
    }
  }
  await mark('rejected')
  assert.deepEqual(await rows(), [1075, 100], 'others are held back in their place')

  const again = held.map(({ question }) => ({
    prompt: `${question.replace('[user]\n', '').toUpperCase()}!`,
    completion: 'Another answer.',
  }))
  const imported = await call('POST', ready, '/import', { rows: again, default_feedback: 'good' })
  assert.equal(imported.status, 200, imported.text)
  assert.deepEqual(await rows(), [1100, 100], 'the same questions, which stay held back')
  await mark('accepted')
  assert.deepEqual(await rows(), [1100, 125])
})
