// The report of a test over HTTP: its pages, filters and search, who may read it, and what is left of it once a sample is deleted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ReportRow, reportRow } from '#contract/report.ts'
import type { Scope } from '#contract/scopes.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newId } from '#server/lib/id.ts'
import { readAttempt } from '#server/loop/attempt/attempt-store.ts'
import { askAnswers } from '#server/loop/test/ask-answers.ts'
import { askReadings } from '#server/loop/test/ask-readings.ts'
import { scoringCaller } from '#server/loop/test/judge/scoring-key.ts'
import {
  insertAnswer,
  insertReading,
  listMissingAnswers,
  listMissingReadings,
  readTestProgress,
  writeOutcomes,
  type SampleOutcome,
  sumTestCosts,
} from '#server/loop/test/test-store.ts'
import type { TestPlan } from '#server/loop/test/tested-attempt.ts'
import { readTestedSamples } from '#server/loop/test/tested-samples.ts'
import { readSample } from '#server/loop/test/verdict/readings.ts'
import type { TestTables } from '#server/loop/test/test-tables.ts'
import type { NewSample } from '#server/samples/sample/sample.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { createKey, createWorkspace } from '#test/support/accounts.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { firstWorkspace, newSample } from '#test/support/new-samples.ts'

type Page = { page: number; total: number; rows: ReportRow[] }

let hone: LoopHone
let attemptId: string
let samples: NewSample[]
/** Of the samples, in their order. */
let ids: string[]

const outcomeOf = (no: number): Omit<SampleOutcome, 'sampleId'> => {
  const none = { unscored: null, score: null, liveScore: null }
  if (no <= 4) return { ...none, outcome: 'win', score: 1, liveScore: 0 }
  if (no <= 6) return { ...none, outcome: 'loss', score: 0.69, liveScore: 0.7 }
  if (no === 7) return { ...none, outcome: 'loss', score: 0.8, liveScore: 0.9 }
  if (no === 8) return { ...none, outcome: 'unscored', unscored: 'judge_failed' }
  if (no === 9) return { ...none, outcome: 'missing' }
  return { ...none, outcome: 'tie', score: 1, liveScore: 1 }
}

before(async () => {
  hone = await loopHone()
  const { rule_id: pipelineId } = await hone.pipeline('Reported')
  const { id: workspaceId } = await firstWorkspace(hone)
  const signal = { verdict: 'edited', givenBy: 'import', gold: true } as const
  const now = hone.app.clock.now()
  samples = Array.from({ length: 30 }, (_, index) =>
    newSample(workspaceId, now, {
      said: `Where is order ${index + 1}?`,
      signal: {
        ...signal,
        id: newId(now),
        correction: `Right ${index + 1}.`,
        userId: null,
        keyId: null,
      },
    }),
  )
  ids = samples.map(({ id }) => id)
  await insertSamples(hone.app.storage, samples)
  const attempt = await keepAttempt(hone, pipelineId, endedAs('not_better'))
  attemptId = attempt.id
  const { db } = hone.app.storage
  await keepTested(attemptId)
  const kept = { answer_key: null, failure: null, cost: 1n }
  for (const [index, sample_id] of ids.entries()) {
    for (const side of ['candidate', 'live'] as const) {
      const text = `The ${side} one says "${index + 1}".`
      const answer = JSON.stringify([{ type: 'text', text }])
      await insertAnswer(db, attempt, { sample_id, side, answer, ...kept })
    }
    const read = {
      sample_id,
      score: null,
      better: null,
      reason: 'Because.',
      reason_key: null,
      failure: null,
      cost: 1n,
    }
    await insertReading(db, attempt, { ...read, kind: 'pair_swapped', better: 'live' })
    await insertReading(db, attempt, { ...read, kind: 'score_candidate', score: 0.5 })
  }
  const outcomes = ids.map((sampleId, index) => ({ sampleId, ...outcomeOf(index + 1) }))
  await db.transaction().execute((tx) => writeOutcomes(tx, attemptId, outcomes))
})
after(() => hone.stop())

async function keepTested(attempt_id: string): Promise<void> {
  const tested = samples.map(({ id, signal: given }, index) => ({
    attempt_id,
    no: index + 1,
    sample_id: id,
    signal_id: given!.id,
    question: 'asked' as const,
    live_words: false,
    tags: [],
  }))
  const { db } = hone.app.storage
  await db.withTables<TestTables>().insertInto('tested_sample').values(tested).execute()
}

const get = (query: string, key = hone.owner.key) =>
  hone.call('GET', `/api/loop/training-runs/${attemptId}/report${query}`, { key })

async function report(query = ''): Promise<Page> {
  const { status, json, text } = await get(query)
  assert.equal(status, 200, text)
  return json as never
}

const numbers = ({ rows }: Page): number[] =>
  rows.map(({ sample_id }) => ids.indexOf(sample_id) + 1)

test('it has 25 conversations a page, with what was asked, answered and read', async () => {
  const first = await report()
  assert.deepEqual([first.page, first.total, first.rows.length], [1, 30, 25])
  const [row] = first.rows
  assert.deepEqual(reportRow.strict().parse(row), row)
  assert.deepEqual(row, {
    sample_id: ids[0],
    question: '[user]\nWhere is order 1?',
    right_answer: 'Right 1.',
    answer: 'The candidate one says "1".',
    live_answer: 'The live one says "1".',
    score: 1,
    live_score: 0,
    winner: 'new',
    readings: [
      { kind: 'score_new', score: 0.5, better: null, reason: 'Because.', failure: null },
      { kind: 'pair_swapped', score: null, better: 'live', reason: 'Because.', failure: null },
    ],
    unscored: null,
  })
  const second = await report('?page=2')
  assert.deepEqual([second.page, second.total, numbers(second)], [2, 30, [26, 27, 28, 29, 30]])
  assert.deepEqual((await report('?page=3')).rows, [])
})

test('it is one of the long reads of its workspace, of which few run at once', async () => {
  const { samples } = hone.app
  const { longReads } = samples
  samples.longReads = { run: () => Promise.reject(new Refusal('RATE_LIMITED', 'Later.')) } as never
  const { status } = await get('')
  samples.longReads = longReads
  assert.equal(status, 429)
})

test('filters show what got better or worse, what passes no more, and what has no score', async () => {
  assert.deepEqual(numbers(await report('?filter=better')), [1, 2, 3, 4])
  assert.deepEqual(numbers(await report('?filter=worse')), [5, 6, 7])
  assert.deepEqual(numbers(await report('?filter=flipped_to_fail')), [5, 6])
  const unscored = await report('?filter=unscored')
  assert.deepEqual(
    unscored.rows.map((row) => [row.unscored, row.winner]),
    [
      ['judge_failed', null],
      ['missing', null],
    ],
  )
})

test('questions, right answers and answers are searched, in upper and lower case', async () => {
  const find = async (q: string) => numbers(await report(`?q=${encodeURIComponent(q)}`))
  assert.deepEqual(await find('ORDER 12?'), [12])
  assert.deepEqual(await find('right 13.'), [13])
  assert.deepEqual(await find('live one says "14"'), [14])
  assert.deepEqual(await find('because'), [])
  assert.deepEqual(numbers(await report('?q=order&filter=better')), [1, 2, 3, 4])
})

test('what is no page, filter or search is refused', async () => {
  for (const query of ['?page=0', '?page=x', '?filter=good', '?q=a', '?other=1']) {
    const { status, json } = await get(query)
    assert.deepEqual([status, json.error?.code], [400, 'BAD_REQUEST'], query)
  }
})

test('only its workspace reads it, with a key that may', async () => {
  const session = await hone.login(hone.owner.email, hone.owner.password)
  const keyOf = async (scopes: Scope[]) => (await createKey(hone, session, { scopes })).secret
  const { status, json } = await get('', await keyOf(['serverless']))
  assert.deepEqual([status, json.error?.code], [403, 'FORBIDDEN'])
  assert.equal((await get('', await keyOf(['loop:read']))).status, 200)
  const other = await createWorkspace(hone, 'Other')
  const { secret } = await createKey(hone, { ...session, 'x-workspace-id': other })
  assert.equal((await get('', secret)).status, 404)
})

test('what a test has cost bounds what it still asks, also of a judge that is never understood', async () => {
  const { db } = hone.app.storage
  const { rule_id: pipelineId } = await hone.pipeline('Bounded')
  const attempt = await keepAttempt(hone, pipelineId, {
    ...endedAs('inconclusive'),
    model: 'plain',
  })
  await keepTested(attempt.id)
  const caller = (await scoringCaller(hone.app, pipelineId))!
  const [by, costOfCall] = [{ caller, signal: new AbortController().signal }, 13_000_000n]
  const waits = { storage: false, servers: false }
  const ask = async (asks: typeof askAnswers, list: typeof listMissingAnswers, most: bigint) => {
    const plan = { candidate: 'plain', live: 'plain', judge: 'plain', rubric: null }
    const test = { ...plan, most: most.toString() } as TestPlan
    while ((await list(db, attempt.id, 1)).length > 0) {
      await asks(hone.app, { ...attempt, test }, { ...by, waits })
    }
    const { cost } = await sumTestCosts(db, attempt)
    assert.equal(cost, BigInt(hone.upstream.calls.length) * costOfCall)
    return cost
  }
  hone.upstream.calls.length = 0
  const answersMost = 40n * costOfCall
  const answered = await ask(askAnswers, listMissingAnswers, answersMost)
  assert.ok(answered > answersMost && answered <= answersMost + 8n * costOfCall, String(answered))
  const left = (await readTestProgress(db, attempt.id)).asked
  assert.ok(left >= 16 && left < 30, String(left))
  const readingsMost = answered + 30n * costOfCall
  const read = await ask(askReadings, listMissingReadings as never, readingsMost)
  assert.ok(read > readingsMost && read <= readingsMost + 16n * costOfCall, String(read))
  const outcomes = (await readTestedSamples(hone.app, attempt.id)).map(readSample)
  const reasons = outcomes.map((one) => (one.kind === 'unscored' ? one.reason : one.kind))
  assert.deepEqual(new Set(reasons), new Set(['unreadable', 'judge_failed', 'missing']))
  assert.equal(reasons.filter((one) => one === 'missing').length, 30 - left)
})

test('of a sample that is deleted the scores stay and no words, and no more are kept', async () => {
  const path = `/api/loop/traces/${ids[0]}`
  assert.equal((await hone.call('DELETE', path, { key: hone.owner.key })).status, 204)
  // The judge was being asked when the sample was deleted.
  const late = { sample_id: ids[0]!, score: null, better: 'candidate', reason: 'Late.' } as const
  const kept = { reason_key: null, failure: null, cost: 1n }
  const attempt = await readAttempt(hone.app.storage.db, attemptId)
  await insertReading(hone.app.storage.db, attempt!, { ...late, ...kept, kind: 'pair' })
  const [row] = (await report('?filter=better')).rows
  const { question, right_answer, answer, live_answer, score, winner, readings } = row!
  assert.deepEqual([question, right_answer, answer, live_answer], [null, null, null, null])
  assert.deepEqual([score, winner], [1, 'new'])
  assert.deepEqual(
    readings.map(({ reason }) => reason),
    [null, null],
  )
})
