// What the database knows about a test when it is decided: which samples ask the same, and the tests before it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import type { AttemptRow, TestPlan } from '#server/loop/attempt/attempt.ts'
import { decideTest } from '#server/loop/held-back/decide-test.ts'
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

const plan = { judge: 'plain', compared_with: null, asked: 100, missing: 0 } as TestPlan

/** An attempt that was tested on samples with these questions, all of which it won. */
async function tested(
  { id: pipelineId }: PipelineRow,
  no: number,
  questions: readonly string[],
): Promise<AttemptRow> {
  const attempt = await keepAttempt({ app: { storage } }, pipelineId, {
    ...endedAs('not_better'),
    id: newId(attemptAt),
    attempt_no: no,
    test: plan,
  })
  for (const [at, question] of questions.entries()) {
    const of = { attempt_id: attempt.id, sample_id: newId(attemptAt) }
    await storage.db
      .insertInto('tested_sample')
      .values({
        ...of,
        no: at + 1,
        signal_id: newId(attemptAt),
        question: 'asked',
        question_key: createHash('md5').update(question).digest(),
        live_words: false,
        tags: [],
      })
      .execute()
    for (const side of ['new', 'live']) {
      await storage.db
        .insertInto('test_answer')
        .values({ ...of, side, answer: '[]', cost: '0' })
        .execute()
    }
    for (const [kind, score, better] of [
      ['score_new', 1, null],
      ['score_live', 0, null],
      ['pair', null, 'new'],
      ['pair_swapped', null, 'new'],
    ] as const) {
      await storage.db
        .insertInto('test_reading')
        .values({ ...of, kind, score, better, cost: '0' })
        .execute()
    }
  }
  const { verdict } = await decideTest({ storage }, attempt)
  await storage.db
    .updateTable('attempt')
    .set({ verdict: JSON.stringify(verdict) })
    .where('id', '=', attempt.id)
    .execute()
  return { ...attempt, verdict }
}

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `question ${from + at}`)

test('samples with one key are one question, and tests are numbered as long as their set stays', async () => {
  const pipeline = await keepPipeline(storage, { promotion_evidence: 'life' })
  const { verdict: first } = await tested(pipeline, 1, [...numbered(0, 10), ...numbered(0, 5)])
  assert.deepEqual([first?.scored, first?.questions, first?.wins, first?.test_no], [15, 10, 10, 1])
  const { verdict: second } = await tested(pipeline, 2, numbered(4, 10))
  assert.equal(second?.test_no, 2)
  const level = second?.checks.find(({ rule }) => rule === 'chance')?.required
  assert.ok(level && level < 0.0077, `${level}`)
  const { verdict: other } = await tested(pipeline, 3, numbered(9, 10))
  assert.equal(other?.test_no, 1)
  const { verdict: again } = await tested(pipeline, 4, numbered(0, 10))
  assert.equal(again?.test_no, 2)
})
