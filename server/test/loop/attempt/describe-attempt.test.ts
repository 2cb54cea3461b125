// An attempt as it is shown: every field of the contract, also those that are not known yet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempt } from '#contract/attempt.ts'
import type { TrainingProgress } from '#server/compute/compute.ts'
import { describeAttempt } from '#server/loop/attempt/describe-attempt.ts'
import { attemptAt, attemptRow, endedAs } from '#test/support/attempt-rows.ts'

const catalog = {
  machines: [{ name: 'embedded', serving_usd_per_hour: 100_000_000_000n }],
} as unknown as Parameters<typeof describeAttempt>[0]['catalog']
const uncharged = { training: 0n, serving: 0n, scoring: 0n, retest: 0n }
const progress: TrainingProgress = {
  phase: 'training',
  step: 40,
  steps: 1035,
  loss: 0.5,
  checkLoss: null,
  learningRate: 0.001,
  tokens: 100,
  seconds: 7,
  secondsLeft: 90.5,
  curve: [],
}
const at = attemptAt.toISOString()

test('an attempt that trains says how far it is, what it learns from and the most that it may cost', () => {
  const row = attemptRow({ replayed_rows: 100, builds_on: 2 })
  const moves = [
    { attempt_id: row.id, no: 2, from: 'preparing', to: 'training', why: 'Go.', at: attemptAt },
  ] as const
  const shown = describeAttempt({ catalog }, row, {
    charges: uncharged,
    progress,
    moves,
    live: null,
    queued: 0,
    asked: null,
  })
  assert.deepEqual(attempt.strict().parse(shown), shown)
  const { explanation, ...rest } = shown
  assert.match(explanation.detail, /step 40 of 1,035/)
  assert.deepEqual(rest, {
    id: row.id,
    rule_id: row.pipeline_id,
    attempt_no: 1,
    version_no: null,
    reason: 'manual',
    result: 'running',
    phase: 'training',
    decision: null,
    available_actions: ['stop'],
    can_retest: false,
    train_rows: 1100,
    holdout_rows: 100,
    skipped_rows: [{ reason: 'redacted_answer', count: 2 }],
    candidate_pass_rate: null,
    incumbent_pass_rate: null,
    error_code: null,
    lineage: {
      model: 'hone/hone-mini',
      revision: row.model_revision,
      builds_on: 2,
      samples: { new: 1000, replayed: 100 },
      parents: [],
    },
    settings: row.settings,
    progress: { step: 40, steps: 1035, loss: 0.5, seconds_left: 90.5 },
    verdict: null,
    benchmark_scores: [],
    costs: {
      training_usd: '0',
      serving_usd: '0',
      scoring_usd: '0',
      total_usd: '0',
      // Four hours of 0.60 USD, three of 0.10, and 25.
      limit_usd: '27.7',
    },
    moves: [{ to: 'training', why: 'Go.', at }],
    created_at: at,
    started_at: at,
    ended_at: null,
    decide_by: null,
    live_from: null,
    live_until: null,
  })
})

test('one that has ended says what it cost, and can no longer be stopped', () => {
  const row = attemptRow({ ...endedAs('stopped'), machine: 'gone' })
  const tests = { scoring: 3_000_000_000n, retest: 2_000_000_000n }
  const charges = { training: 120_000_000_000n, serving: 0n, ...tests }
  const shown = describeAttempt({ catalog }, row, {
    charges,
    progress,
    moves: [],
    live: null,
    queued: 0,
    asked: null,
  })
  assert.deepEqual([shown.available_actions, shown.progress, shown.ended_at], [[], null, at])
  assert.deepEqual(shown.costs, {
    training_usd: '0.12',
    serving_usd: '0',
    scoring_usd: '0.005',
    total_usd: '0.125',
    limit_usd: '27.4',
  })
})

test('before its rows were selected and while it is being stopped, nothing is made up', () => {
  const row = attemptRow({
    state: { phase: 'preparing' },
    train_rows: null,
    holdout_rows: null,
    replayed_rows: null,
    skipped_rows: [],
    started_at: null,
    cancelled_at: attemptAt,
  })
  const shown = describeAttempt({ catalog }, row, {
    charges: uncharged,
    progress: null,
    moves: [],
    live: null,
    queued: 0,
    asked: null,
  })
  assert.deepEqual(shown.lineage.samples, { new: null, replayed: null })
  assert.deepEqual([shown.train_rows, shown.holdout_rows, shown.started_at], [null, null, null])
  assert.deepEqual([shown.progress, shown.available_actions], [null, []])
})
