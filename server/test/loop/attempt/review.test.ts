// Members decide on attempts that wait for it: what is approved goes live, what is rejected or left alone for 14 days is closed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import { newId } from '#server/lib/id.ts'
import { findRunning, readAttempt } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { findLiveVersion, listLiveHistory } from '#server/loop/version/version-store.ts'
import { attemptAt, endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { attemptIn } from '#test/support/attempts.ts'
import { trainedWeights } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const dayMs = 24 * 3_600_000
const clock = new ManualClock(attemptAt.toISOString())
let hone: LoopHone
let trained: Pick<AttemptRow, 'adapter' | 'model_revision'>

before(async () => {
  hone = await loopHone({ clock, tasks: [] })
  trained = await trainedWeights(hone)
})
after(() => hone.stop())

const inDays = (days: number): Date => new Date(clock.now().getTime() + days * dayMs)
const waits = (result: 'waiting_for_review' | 'inconclusive') => ({
  ...endedAs(result),
  decide_by: inDays(14),
})

function keep(id: string, changes: Partial<AttemptRow> = {}): Promise<AttemptRow> {
  const row = { id: newId(clock.now()), ...waits('waiting_for_review'), ...trained, ...changes }
  return keepAttempt(hone, id, row)
}

const act = ({ id }: AttemptRow, verb: string, body: object = {}): Promise<Answer> =>
  hone.call('POST', `/api/loop/training-runs/${id}/${verb}`, { key: hone.owner.key, body })

async function acted(row: AttemptRow, verb: string, body?: object): Promise<Attempt> {
  const answer = await act(row, verb, body)
  assert.equal(answer.status, 200, answer.text)
  return attemptIn(answer)
}

const refusalOf = ({ status, json }: Answer): unknown[] => [status, json.error?.code]
const read = async ({ id }: AttemptRow): Promise<AttemptRow> =>
  (await readAttempt(hone.app.storage.db, id))!
const walkToEnd = ({ id }: AttemptRow): Promise<Attempt> =>
  walkAttempt(hone, id, { clock, until: ({ result }) => result !== 'running' })

async function own(id: string): Promise<Pipeline> {
  const path = `/api/loop/pipelines/${id}`
  const { json } = await hone.call('GET', path, { key: hone.owner.key })
  return (json as never as { pipeline: Pipeline }).pipeline
}

type Refused = {
  row?: () => Partial<AttemptRow>
  verb?: 'approve' | 'reject'
  body?: object
  code: string
}

const gone = () => ({ adapter: 'f'.repeat(64) })
const refused: Record<string, Refused> = {
  'approving one that was never tested': { row: () => endedAs('not_tested'), code: 'NOT_TESTED' },
  'also with force': {
    row: () => endedAs('not_tested'),
    body: { force: true },
    code: 'NOT_TESTED',
  },
  'rejecting one that was never tested': {
    row: () => endedAs('not_tested'),
    verb: 'reject',
    code: 'NOT_REVIEWABLE',
  },
  'approving one that runs': {
    row: () => ({ result: 'running', state: { phase: 'deciding' }, decide_by: null }),
    code: 'NOT_REVIEWABLE',
  },
  'approving one that its test turned down': {
    row: () => endedAs('not_better'),
    body: { force: true },
    code: 'NOT_REVIEWABLE',
  },
  'rejecting one that is live': {
    row: () => endedAs('became_version'),
    verb: 'reject',
    code: 'NOT_REVIEWABLE',
  },
  'approving one at the end of its time': {
    row: () => ({ decide_by: clock.now() }),
    code: 'NOT_REVIEWABLE',
  },
  'rejecting one at the end of its time': {
    row: () => ({ decide_by: clock.now() }),
    verb: 'reject',
    code: 'NOT_REVIEWABLE',
  },
  'approving without force what could not be decided': {
    row: () => ({ ...waits('inconclusive'), ...gone() }),
    body: { force: false },
    code: 'INCONCLUSIVE_REQUIRES_FORCE',
  },
  'approving what is no longer in the store': {
    row: gone,
    body: { expected_revision: 99 },
    code: 'CANDIDATE_MISSING',
  },
  'approving under another revision': {
    body: { expected_revision: 99 },
    code: 'CONSENT_CHANGED',
  },
}

for (const [what, { row, verb = 'approve', body = {}, code }] of Object.entries(refused)) {
  test(`${what} is refused, and changes nothing`, async () => {
    const { rule_id } = await hone.pipeline(what)
    const isWaiting = !row || 'decide_by' in row() || 'adapter' in row()
    const attempt = await keep(rule_id, { ...(isWaiting ? {} : { decide_by: null }), ...row?.() })
    const answer = await act(attempt, verb, body)
    assert.deepEqual(refusalOf(answer), [409, code], answer.text)
    assert.equal(answer.headers.get('x-should-retry'), 'false')
    assert.deepEqual(await read(attempt), attempt)
  })
}

test('approving is refused while settings wait to be accepted, and while the judge is gone, until the pipeline is saved', async () => {
  const { rule_id: id } = await hone.pipeline('Unsaved')
  const attempt = await keep(id)
  for (const change of ['consented_revision = 0', `judge_model = 'gone'`]) {
    await inDatabase(hone.databaseUrl, `update pipeline set ${change} where id = '${id}'`)
    assert.deepEqual(refusalOf(await act(attempt, 'approve')), [409, 'CONSENT_CHANGED'], change)
    const path = `/api/loop/pipelines/${id}`
    const saved = await hone.call('PUT', path, { key: hone.owner.key, body: {} })
    assert.equal(saved.status, 200, saved.text)
  }
  const { revision } = await own(id)
  const approved = await acted(attempt, 'approve', { expected_revision: revision })
  assert.equal(approved.result, 'running')
})

test('an unknown field is refused, and so is an attempt of no one', async () => {
  const { rule_id } = await hone.pipeline('Bodies')
  const attempt = await keep(rule_id)
  assert.deepEqual(refusalOf(await act(attempt, 'approve', { forced: true })), [400, 'BAD_REQUEST'])
  const other = { ...attempt, id: newId(clock.now()) }
  for (const verb of ['approve', 'reject']) {
    assert.deepEqual(refusalOf(await act(other, verb)), [404, 'NOT_FOUND'])
  }
})

test('what is approved goes live beside the next attempt, by the word of the member', async () => {
  const { app } = hone
  const { rule_id: id } = await hone.pipeline('Approved')
  const attempt = await keep(id, { attempt_no: 1 })
  const next = await keepAttempt(hone, id, { id: newId(clock.now()), attempt_no: 2 })
  const shown = await acted(attempt, 'approve')
  assert.deepEqual(
    [shown.result, shown.phase, shown.decide_by, shown.ended_at, shown.available_actions],
    ['running', 'promoting', null, null, ['stop']],
  )
  assert.equal((await own(id)).active_run?.attempt_no, 2, 'the next one stays the active one')
  assert.deepEqual(refusalOf(await act(attempt, 'approve')), [409, 'NOT_REVIEWABLE'])

  const ended = await walkToEnd(attempt)
  assert.deepEqual(
    [ended.result, ended.version_no, ended.decision, ended.available_actions],
    ['became_version', 1, null, []],
  )
  assert.equal(ended.explanation.headline, 'Attempt 1 was approved and went live.')
  assert.equal((await findLiveVersion(app.storage.db, id))?.attempt_id, attempt.id)
  const [entry] = await listLiveHistory(app.storage.db, id, { limit: 1, before: null })
  const { approved_by } = await read(attempt)
  assert.ok(approved_by)
  assert.deepEqual([entry?.moved_by, entry?.user_id], ['member', approved_by])
  assert.deepEqual(refusalOf(await act(attempt, 'approve')), [409, 'NOT_REVIEWABLE'])
  assert.deepEqual(refusalOf(await act(attempt, 'cancel')), [409, 'RUN_FINISHED'])
  assert.equal((await findRunning(app.storage.db, id))?.id, next.id)
  const audited = await inDatabase(
    hone.databaseUrl,
    `select action, user_id, detail from audit_event where target_id = '${attempt.id}'`,
  )
  const detail = { rule_id: id, attempt_no: 1, force: false }
  assert.deepEqual(audited, [{ action: 'attempt.approved', user_id: approved_by, detail }])
})

test('with force what could not be decided goes live too, and closes what else waits', async () => {
  const { rule_id: id } = await hone.pipeline('Forced')
  const open = await keep(id, { attempt_no: 1, ...waits('inconclusive') })
  const other = await keep(id, { attempt_no: 2 })
  const attempt = await keep(id, { attempt_no: 3, ...waits('inconclusive') })
  await acted(attempt, 'approve', { force: true })
  assert.equal((await walkToEnd(attempt)).result, 'became_version')
  for (const row of [open, other]) {
    const { result, decision, decide_by, detail } = await read(row)
    const why = 'Version 1 went live before this attempt was decided.'
    assert.deepEqual([result, decision, decide_by, detail], ['stopped', null, null, why])
    assert.deepEqual(refusalOf(await act(row, 'reject')), [409, 'NOT_REVIEWABLE'])
  }
})

test('one that is stopped before it is live is not put live', async () => {
  const { rule_id: id } = await hone.pipeline('Taken back')
  const attempt = await keep(id)
  await acted(attempt, 'approve')
  await acted(attempt, 'cancel')
  assert.equal((await walkToEnd(attempt)).result, 'stopped')
  assert.equal(await findLiveVersion(hone.app.storage.db, id), null)
})

test('what is rejected has ended', async () => {
  const { rule_id: id } = await hone.pipeline('Rejected')
  const attempt = await keep(id, waits('inconclusive'))
  const shown = await acted(attempt, 'reject')
  assert.deepEqual(
    [shown.result, shown.decision, shown.decide_by, shown.available_actions],
    ['stopped', 'rejected', null, []],
  )
  assert.match(shown.explanation.headline, /was rejected/)
  const move = shown.moves.at(-1)
  assert.deepEqual([move?.to, move?.why], ['ended', 'A member rejected it.'])
  assert.deepEqual(refusalOf(await act(attempt, 'reject')), [409, 'NOT_REVIEWABLE'])
  const [audited] = await inDatabase<{ action: string }>(
    hone.databaseUrl,
    `select action from audit_event where target_id = '${attempt.id}'`,
  )
  assert.equal(audited?.action, 'attempt.rejected')
})

test('after 14 days without a decision it is closed, and not a moment before', async () => {
  const { rule_id: id } = await hone.pipeline('Expired')
  const rows = [
    await keep(id, { attempt_no: 1, wake_at: clock.now() }),
    await keep(id, { attempt_no: 2, ...waits('inconclusive'), wake_at: clock.now() }),
  ]
  const decideBy = rows[0]!.decide_by!
  const walk = () => hone.background.walker.walkDue(hone.app)
  const areAll = async (is: (row: AttemptRow) => boolean): Promise<boolean> =>
    (await Promise.all(rows.map(read))).every(is)
  await walk()
  await until(() => areAll(({ wake_at, leased_until }) => +wake_at === +decideBy && !leased_until))
  clock.forward(14 * dayMs - 1)
  await walk()
  assert.ok(await areAll(({ decide_by }) => decide_by !== null))
  assert.deepEqual(await Promise.all(rows.map(async (row) => (await read(row)).result)), [
    'waiting_for_review',
    'inconclusive',
  ])
  clock.forward(1)
  await walk()
  await until(() => areAll(({ result }) => result === 'stopped'))
  for (const row of rows) {
    const { decision, decide_by, ended_at, detail } = await read(row)
    assert.deepEqual([decision, decide_by, ended_at], ['expired', null, decideBy])
    assert.equal(detail, 'No member decided on it within 14 days.')
  }
})

test('one moment before the end of its time it can still be approved', async () => {
  const { rule_id: id } = await hone.pipeline('In time')
  const attempt = await keep(id, { decide_by: new Date(clock.now().getTime() + 1) })
  assert.equal((await acted(attempt, 'approve')).phase, 'promoting')
})
