// What the database knows about a test when it is decided: which samples ask the same, and the tests before it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Verdict } from '#contract/verdict.ts'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import type { AttemptTable } from '#server/loop/attempt/attempt.ts'
import { decideTest } from '#server/loop/test/decide-test.ts'
import type { TestPlan } from '#server/loop/test/tested-attempt.ts'
import type { TestTables } from '#server/loop/test/test-tables.ts'
import type { PipelineRow } from '#server/loop/pipeline/pipeline.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { attemptAt, endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { keepPipeline } from '#test/support/pipeline-rows.ts'
import { testDatabase } from '#test/support/test-database.ts'

let storage: Storage
before(async () => {
  storage = await openStorage((await testDatabase()).url, systemClock)
})
after(() => storage.close())

/** An attempt that was tested on samples with these questions, none of which it answered. */
async function tested(
  { id: pipelineId }: PipelineRow,
  no: number,
  questions: readonly string[],
): Promise<Verdict> {
  const attempt = await keepAttempt({ app: { storage } }, pipelineId, {
    ...endedAs('not_better'),
    id: newId(attemptAt),
    attempt_no: no,
  })
  const rows = questions.map((question, at) => ({
    attempt_id: attempt.id,
    sample_id: newId(attemptAt),
    no: at + 1,
    signal_id: newId(attemptAt),
    question: 'asked' as const,
    question_key: createHash('md5').update(question).digest(),
    live_words: false,
    tags: [],
  }))
  const db = storage.db.withTables<TestTables & { attempt: AttemptTable }>()
  await db.insertInto('tested_sample').values(rows).execute()
  const test = { left_out: 0 } as TestPlan
  const { verdict } = await decideTest({ storage }, { ...attempt, test }, { evidence: 'life' })
  await db
    .updateTable('attempt')
    .set({ verdict: JSON.stringify(verdict) })
    .where('id', '=', attempt.id)
    .execute()
  return verdict
}

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `question ${from + at}`)

test('samples with one key are one question, and tests are numbered as long as their set stays', async () => {
  const pipeline = await keepPipeline(storage)
  const first = await tested(pipeline, 1, [...numbered(0, 10), ...numbered(0, 5)])
  assert.deepEqual([first.scored, first.questions, first.losses, first.test_no], [15, 10, 10, 1])
  const second = await tested(pipeline, 2, numbered(4, 10))
  assert.equal(second.test_no, 2)
  assert.equal(second.checks.find(({ rule }) => rule === 'chance')?.required, 0.007599089)
  const other = await tested(pipeline, 3, numbered(9, 10))
  assert.equal(other.test_no, 1)
  const again = await tested(pipeline, 4, numbered(0, 10))
  assert.equal(again.test_no, 3)
})

test('a test on another set in between does not begin the count again', async () => {
  const pipeline = await keepPipeline(storage)
  for (let no = 1; no <= 12; no++) await tested(pipeline, no, numbered(0, 10))
  assert.equal((await tested(pipeline, 13, numbered(100, 10))).test_no, 1)
  assert.equal((await tested(pipeline, 14, numbered(0, 10))).test_no, 13)
})
