// What going live changes, all of it in one transaction: the version, its number, what answers under the name, what counts as
// learned, and what still waited.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findLiveDeployment, listNamedWeights } from '#server/deployment/deployment-store.ts'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { listMoves, readAttempt } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { replaceTested } from '#server/loop/test/test-store.ts'
import type { PipelineRow } from '#server/loop/pipeline/pipeline.ts'
import {
  markHeldBack,
  markLearned,
  markUsed,
  readMarks,
  takeMarksBack,
} from '#server/loop/selection/mark-store.ts'
import { listLearnedSince, markQuestions } from '#server/loop/selection/question-store.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { goLive, type Promotion } from '#server/loop/attempt/go-live.ts'
import {
  findLiveVersion,
  listLiveHistory,
  listNamedByVersions,
  listVersions,
  readVersionsOf,
} from '#server/loop/version/version-store.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { attemptAt, endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { newSample } from '#test/support/new-samples.ts'
import { keepPipeline } from '#test/support/pipeline-rows.ts'
import { testDatabase } from '#test/support/test-database.ts'

let storage: Storage
before(async () => {
  storage = await openStorage((await testDatabase()).url, systemClock)
})
after(() => storage.close())

const at = new Date('2026-03-02T04:00:00.000Z')
const later = new Date('2026-03-03T04:00:00.000Z')

/** One that has ended, with an adapter of its own. */
function attempt(
  { id }: PipelineRow,
  no: number,
  changes: Partial<AttemptRow> = {},
): Promise<AttemptRow> {
  const adapter = String(no % 10).repeat(64)
  const row = { ...endedAs('not_tested'), attempt_no: no, adapter, ...changes }
  return keepAttempt({ app: { storage } }, id, { id: newId(at), ...row })
}

async function promoted(attempt: AttemptRow, changes: Partial<Promotion> = {}): Promise<number> {
  const { pipeline_id: pipelineId, attempt_no: attemptNo } = attempt
  await markLearned(storage.db, { pipelineId, attemptNo })
  const rates = { candidate: 0.8, live: 0.5 }
  const promotion = { attempt, rates, movedBy: 'promotion' as const, userId: null, at, ...changes }
  return storage.db.transaction().execute((tx) => goLive(tx, promotion))
}

const versionsOf = ({ id }: PipelineRow) => listVersions(storage.db, id, { limit: 50, after: 0 })
const historyOf = ({ id }: PipelineRow) =>
  listLiveHistory(storage.db, id, { limit: 50, before: null })

test('the first promotion is v1, and each later one the next number, which ends the one before', async () => {
  const pipeline = await keepPipeline(storage)
  assert.equal(await findLiveVersion(storage.db, pipeline.id), null)
  const [first, second] = [await attempt(pipeline, 3), await attempt(pipeline, 5)]
  const userId = newId(at)
  assert.equal(await promoted(first), 1)
  const before = await findLiveDeployment(storage.db, pipeline.id)
  assert.equal(await promoted(second, { at: later, movedBy: 'member', userId }), 2)

  const shown = (await versionsOf(pipeline)).map(
    ({ version_no, attempt_no, adapter, live_from, live_until, candidate_pass_rate }) => [
      version_no,
      attempt_no,
      adapter,
      live_from,
      live_until,
      candidate_pass_rate,
    ],
  )
  assert.deepEqual(shown, [
    [1, 3, first.adapter, at, later, 0.8],
    [2, 5, second.adapter, later, null, 0.8],
  ])
  const history = (await historyOf(pipeline)).map(({ pipeline_id: _, ...entry }) => entry)
  const [ofFirst, ofSecond] = [first.id, second.id]
  assert.deepEqual(history, [
    {
      no: 2,
      version_no: 2,
      live_from: later,
      live_until: null,
      moved_by: 'member',
      user_id: userId,
      attempt_id: ofSecond,
    },
    {
      no: 1,
      version_no: 1,
      live_from: at,
      live_until: later,
      moved_by: 'promotion',
      user_id: null,
      attempt_id: ofFirst,
    },
  ])
  const deployed = await findLiveDeployment(storage.db, pipeline.id)
  assert.equal(deployed?.id, before?.id, 'one row for the name')
  assert.deepEqual(
    [deployed?.name, deployed?.adapter, deployed?.version_no, deployed?.status],
    ['loop-parcel-bot', second.adapter, 2, 'serving'],
  )
  assert.equal((await readAttempt(storage.db, second.id))?.version_no, 2)
  assert.deepEqual((await readVersionsOf(storage.db, [pipeline.id])).get(pipeline.id), {
    total: 2,
    live: 2,
  })
  const named = (await listNamedByVersions(storage.db)).map(({ adapter }) => adapter)
  assert.ok(named.includes(first.adapter) && named.includes(second.adapter))
  assert.ok((await listNamedWeights(storage.db)).some(({ adapter }) => adapter === second.adapter))
})

test('promoting an attempt again gives the number that it has and changes nothing, also when another is live by now', async () => {
  const pipeline = await keepPipeline(storage)
  const [first, second] = [await attempt(pipeline, 1), await attempt(pipeline, 2)]
  await promoted(first)
  const [one, other] = await Promise.all([promoted(second), promoted(second)])
  assert.deepEqual([one, other], [2, 2])
  const before = [await versionsOf(pipeline), await historyOf(pipeline)]
  assert.equal(await promoted(first, { at: later }), 1)
  assert.deepEqual([await versionsOf(pipeline), await historyOf(pipeline)], before)
  assert.equal((await findLiveVersion(storage.db, pipeline.id))?.version_no, 2)
})

test('promotions at once in one pipeline get numbers without gaps, and the last of them is live', async () => {
  const pipeline = await keepPipeline(storage)
  const attempts = []
  for (let no = 1; no <= 6; no++) attempts.push(await attempt(pipeline, no))
  const numbers = await Promise.all(attempts.map((one) => promoted(one)))
  assert.deepEqual([...numbers].sort(), [1, 2, 3, 4, 5, 6])
  const live = attempts[numbers.indexOf(6)]
  assert.equal((await findLiveVersion(storage.db, pipeline.id))?.version_no, 6)
  assert.equal((await findLiveDeployment(storage.db, pipeline.id))?.adapter, live?.adapter)
  const open = (await historyOf(pipeline)).filter(({ live_until }) => live_until === null)
  assert.deepEqual(
    open.map(({ version_no }) => version_no),
    [6],
  )
})

test('nothing of it is there when its transaction fails', async () => {
  const pipeline = await keepPipeline(storage)
  const only = await attempt(pipeline, 1)
  const rates = { candidate: null, live: null }
  const promotion = { attempt: only, rates, movedBy: 'promotion', userId: null, at } as const
  const failing = storage.db.transaction().execute(async (tx) => {
    await goLive(tx, promotion)
    throw new Error('the attempt was moved meanwhile')
  })
  await assert.rejects(failing, /moved meanwhile/)
  assert.deepEqual([await versionsOf(pipeline), await historyOf(pipeline)], [[], []])
  assert.equal(await findLiveDeployment(storage.db, pipeline.id), null)
  assert.equal(await promoted(only), 1, 'and the number is free')
})

test('what waited for a review is closed with a sentence, and nothing else of the pipeline or of another is', async () => {
  const [pipeline, other] = [await keepPipeline(storage), await keepPipeline(storage)]
  const waits = { ...endedAs('waiting_for_review'), decide_by: attemptAt }
  const waiting = await attempt(pipeline, 1, waits)
  const untouched = [
    await attempt(pipeline, 2, endedAs('not_better')),
    await attempt(other, 1, endedAs('waiting_for_review')),
  ]
  const approved = await attempt(pipeline, 3, endedAs('waiting_for_review'))
  await promoted(approved, { movedBy: 'member' })
  const closed = await readAttempt(storage.db, waiting.id)
  const why = 'Version 1 went live before this attempt was decided.'
  assert.deepEqual([closed?.result, closed?.detail], ['stopped', why])
  assert.deepEqual([closed?.decide_by, closed?.ended_at], [null, at])
  const move = (await listMoves(storage.db, waiting.id)).at(-1)
  assert.deepEqual([move?.to, move?.why, move?.at], ['ended', why, at])
  for (const row of untouched) assert.deepEqual(await readAttempt(storage.db, row.id), row)
  const { version_no: _, ...same } = (await readAttempt(storage.db, approved.id))!
  assert.deepEqual({ ...same, version_no: null }, approved, 'its caller writes how it ended')
})

/** The version that learned each of four samples, after attempts used some of them, in this order. */
const learned: [
  what: string,
  steps: (
    { use: number[]; by: number } | { takeBack: number } | { live: number } | { cancelled: number }
  )[],
  by: (number | null)[],
][] = [
  [
    'what it used',
    [{ use: [0, 1], by: 1 }, { use: [1, 2], by: 2 }, { live: 2 }],
    [null, 1, 1, null],
  ],
  [
    'only what no earlier version learned',
    [{ use: [0, 1], by: 1 }, { live: 1 }, { use: [0, 1, 2], by: 2 }, { live: 2 }],
    [1, 1, 2, null],
  ],
  [
    'what a later attempt used too, and nothing that only that one used',
    [{ use: [0, 1], by: 1 }, { use: [0, 1, 2], by: 2 }, { live: 1 }],
    [1, 1, null, null],
  ],
  [
    'what a later attempt used and gave back',
    [{ use: [0], by: 1 }, { use: [0, 1], by: 2 }, { takeBack: 2 }, { live: 1 }],
    [1, null, null, null],
  ],
  [
    'nothing where it was cancelled before that',
    [{ use: [0, 1], by: 1 }, { cancelled: 1 }],
    [null, null, null, null],
  ],
  [
    'what one used before it that was cancelled',
    [{ use: [0, 1], by: 1 }, { cancelled: 1 }, { use: [0, 1], by: 2 }, { live: 2 }],
    [1, 1, null, null],
  ],
]

for (const [what, steps, by] of learned) {
  test(`when an attempt goes live, it has learned ${what}`, async () => {
    const pipeline = await keepPipeline(storage)
    const samples = by.map(() => newSample(pipeline.workspace_id, at))
    await insertSamples(storage, samples)
    const ids = samples.map(({ id }) => id)
    const attempts = [await attempt(pipeline, 1), await attempt(pipeline, 2)]
    for (const step of steps) {
      if ('live' in step) {
        await promoted(attempts[step.live - 1]!)
        continue
      }
      if ('takeBack' in step) {
        await takeMarksBack(storage.db, { pipelineId: pipeline.id, attemptNo: step.takeBack })
        continue
      }
      if ('cancelled' in step) {
        await markLearned(storage.db, { pipelineId: pipeline.id, attemptNo: step.cancelled })
        continue
      }
      await storage.db.transaction().execute((tx) => {
        const used = Buffer.from(step.use.map((at) => ids[at]!.replaceAll('-', '')).join(''), 'hex')
        const marked = { workspaceId: pipeline.workspace_id, pipelineId: pipeline.id }
        return markUsed(tx, marked, { samples: used, questions: used, signals: used }, step.by)
      })
    }
    const marks = await readMarks(storage.db, pipeline.id, ids)
    assert.deepEqual(
      ids.map((id) => marks.get(id)?.learned_by ?? null),
      by,
    )
  })
}

test('what an attempt learned when it went live is not tested with, though it was held back since', async () => {
  const pipeline = await keepPipeline(storage)
  const { id: pipelineId, workspace_id: workspaceId } = pipeline
  const given = { givenBy: 'person' as const, gold: true, userId: null, keyId: null }
  const signal = () => ({ id: newId(at), verdict: 'accepted' as const, correction: null, ...given })
  const held = [1, 2].map(() => newSample(workspaceId, at, { signal: signal() }))
  await insertSamples(storage, held)
  const packed = (hex: string[]): Buffer => Buffer.from(hex.join('').replaceAll('-', ''), 'hex')
  const keys = packed(['a'.repeat(32), 'b'.repeat(32)])
  const marks = { keys, questions: keys, kinds: Uint8Array.of(0, 0), joined: [] }
  const [early, late] = [await attempt(pipeline, 1), await attempt(pipeline, 2)]
  await storage.db.transaction().execute(async (tx) => {
    const [none, one, both] = [Uint8Array.of(0, 0), Uint8Array.of(1, 0), Uint8Array.of(1, 1)]
    await markQuestions(tx, pipelineId, { ...marks, held: none, used: one }, { at, attemptNo: 1 })
    const samples = packed(held.map(({ id }) => id))
    await markHeldBack(tx, { workspaceId, pipelineId }, { samples, questions: keys }, at)
    await markQuestions(tx, pipelineId, { ...marks, held: both, used: none }, { at, attemptNo: 2 })
    const heldBack = held.map(({ id }) => id)
    await replaceTested(tx, late, { heldBack, most: 10, ownTag: '' })
  })
  assert.deepEqual(await listLearnedSince(storage.db, late), [])
  await promoted(early)
  assert.deepEqual(await listLearnedSince(storage.db, late), [held[0]!.id])
})

test('nothing goes live in a deleted pipeline, and its versions keep no weights', async () => {
  const pipeline = await keepPipeline(storage)
  const [first, second] = [await attempt(pipeline, 8), await attempt(pipeline, 9)]
  await promoted(first)
  const named = async (): Promise<boolean> =>
    (await listNamedByVersions(storage.db)).some(({ adapter }) => adapter === first.adapter)
  assert.equal(await named(), true)
  await storage.db
    .updateTable('pipeline')
    .set({ deleted_at: later })
    .where('id', '=', pipeline.id)
    .execute()
  await assert.rejects(promoted(second), { code: 'NOT_FOUND' })
  assert.equal((await versionsOf(pipeline)).length, 1)
  assert.equal(await named(), false)
})
