// Attempts over HTTP: listed, read, stopped, and shown with their pipeline. What makes them is tested where it is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Attempt, attempt as attemptSchema, attemptInList } from '#contract/attempt.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import { keepCurve } from '#server/loop/attempt/attempt-store.ts'
import { createKey, createWorkspace } from '#test/support/accounts.ts'
import { attemptAt, endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone()
})
after(() => hone.stop())

const api = (method: string, path: string, body?: object, key = hone.owner.key): Promise<Answer> =>
  hone.call(method, `/api/loop/${path}`, { key, ...(body ? { body } : {}) })

async function read<T>(path: string): Promise<T> {
  const answer = await api('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as unknown as T
}

const codeOf = async (answer: Promise<Answer>): Promise<unknown[]> => {
  const { status, json } = await answer
  return [status, json.error?.code]
}

test('the attempts of a pipeline are listed newest first, in pages, and by result', async () => {
  const { rule_id: id } = await hone.pipeline('Listed')
  for (const [index, result] of (['failed', 'stopped', 'failed'] as const).entries()) {
    await keepAttempt(hone, id, { attempt_no: index + 1, ...endedAs(result) })
  }
  await keepAttempt(hone, id, { attempt_no: 4 })
  type Page = { attempts: Attempt[]; next_cursor: string | null }
  const list = (query: string): Promise<Page> => read(`pipelines/${id}/attempts?${query}`)
  const numbers = ({ attempts }: Page): number[] => attempts.map(({ attempt_no }) => attempt_no)
  const first = await list('limit=3')
  assert.deepEqual(numbers(first), [4, 3, 2])
  const rest = await list(`limit=3&cursor=${first.next_cursor}`)
  assert.deepEqual([numbers(rest), rest.next_cursor], [[1], null])
  assert.deepEqual(numbers(await list('result=failed')), [3, 1])
  for (const shown of first.attempts) assert.deepEqual(attemptInList.strict().parse(shown), shown)

  const attempts = `pipelines/${id}/attempts`
  assert.deepEqual(await codeOf(api('GET', `${attempts}?result=won`)), [400, 'BAD_REQUEST'])
  assert.deepEqual(await codeOf(api('GET', `${attempts}?cursor=bad`)), [400, 'BAD_REQUEST'])
})

test('a pipeline shows its newest attempts, the one under way, and that it needs funds', async () => {
  const { rule_id: id } = await hone.pipeline('Shown')
  for (let number = 1; number <= 21; number++) {
    await keepAttempt(hone, id, { attempt_no: number, ...endedAs('failed') })
  }
  const own = async (): Promise<Pipeline> =>
    (await read<{ pipeline: Pipeline }>(`pipelines/${id}`)).pipeline
  const before = await own()
  assert.deepEqual([before.attempts_total, before.attempts.length], [21, 20])
  assert.deepEqual([before.active_run, before.needs_funds], [null, false])
  assert.match(before.next_reason, /^Attempt 21 failed\. Nothing is selected yet/)

  const since = attemptAt.toISOString()
  const funds = { asked_at: since, missing: '1' }
  const state = { phase: 'waiting_for_funds', pays: 'training', since, funds } as const
  const { id: running } = await keepAttempt(hone, id, { attempt_no: 22, state })
  const waiting = await own()
  assert.deepEqual([waiting.active_run?.id, waiting.needs_funds], [running, true])
  assert.deepEqual(waiting.attempts[0], waiting.active_run)
  assert.match(waiting.next_reason, /^Attempt 22 waits for funds\. .*Add funds/)
  const { pipelines } = await read<{ pipelines: Pipeline[] }>('pipelines')
  const listed = pipelines.find(({ rule_id }) => rule_id === id)
  assert.deepEqual([listed?.attempts.length, listed?.attempts_total], [5, 22])

  const plan = await api('POST', `pipelines/${id}/run`, { dry_run: true })
  const { blocked_by } = (plan.json as unknown as { plan: { blocked_by: string } }).plan
  assert.deepEqual([plan.status, blocked_by], [200, 'RUN_ACTIVE'])
})

test('one attempt is shown with its moves, and to its own workspace alone', async () => {
  const { rule_id: id } = await hone.pipeline('One')
  const { id: attemptId } = await keepAttempt(hone, id)
  const path = `training-runs/${attemptId}`
  const { attempt } = await read<{ attempt: Attempt }>(path)
  assert.deepEqual(attemptSchema.strict().parse(attempt), attempt)
  const why = 'A member pressed train now.'
  assert.deepEqual(attempt.moves, [{ to: 'training', why, at: attemptAt.toISOString() }])
  assert.equal((await api('GET', `training-runs/${attemptId.toUpperCase()}`)).status, 200)

  const session = await hone.login(hone.owner.email, hone.owner.password)
  const other = await createWorkspace(hone, 'Other')
  const { secret } = await createKey(hone, { ...session, 'x-workspace-id': other })
  const all = [
    ['GET', path],
    ['GET', `${path}/curve`],
    ['POST', `${path}/cancel`],
    ['GET', `pipelines/${id}/attempts`],
  ] as const
  for (const [method, at] of all) {
    assert.deepEqual(await codeOf(api(method, at, undefined, secret)), [404, 'NOT_FOUND'], at)
  }
  await api('DELETE', `pipelines/${id}`)
  for (const [method, at] of all) {
    assert.deepEqual(await codeOf(api(method, at)), [404, 'NOT_FOUND'], `${at} after the deletion`)
  }
  assert.deepEqual(await codeOf(api('GET', 'training-runs/none')), [404, 'NOT_FOUND'])
})

test('a member stops an attempt that runs, and none that has ended', async () => {
  const { rule_id: id } = await hone.pipeline('Stopped')
  const ended = await keepAttempt(hone, id, endedAs('failed'))
  const refused = await api('POST', `training-runs/${ended.id}/cancel`)
  assert.deepEqual([refused.status, refused.json.error?.code], [409, 'RUN_FINISHED'])
  assert.equal(refused.headers.get('x-should-retry'), 'false')
  const running = await keepAttempt(hone, id, { attempt_no: 2 })
  const answer = await api('POST', `training-runs/${running.id}/cancel`, {})
  assert.equal(answer.status, 200, answer.text)
  const { attempt } = answer.json as unknown as { attempt: Attempt }
  assert.deepEqual(attempt.available_actions, [])
})

test('the curve is empty before the training, kept after it, and unavailable while compute cannot say it', async () => {
  const { rule_id: id } = await hone.pipeline('Curves')
  const state = { phase: 'preparing' } as const
  const begun = await keepAttempt(hone, id, { state, started_at: null })
  const curve = (attemptId: string): string => `training-runs/${attemptId}/curve`
  assert.deepEqual(await read(curve(begun.id)), { points: [] })
  const { rule_id: other } = await hone.pipeline('Other curves')
  const training = await keepAttempt(hone, other)
  const answer = await api('GET', curve(training.id))
  assert.deepEqual([answer.status, answer.json.error?.code], [503, 'TRAINING_CURVE_UNAVAILABLE'])
  assert.equal(answer.headers.get('retry-after'), '5')
  const points = [{ step: 1, loss: 2.5, check_loss: null }]
  await keepCurve(hone.app.storage.db, training.id, points)
  assert.deepEqual(await read(curve(training.id)), { points })
})
