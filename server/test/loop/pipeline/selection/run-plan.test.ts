// What a dry run says of counts and a pace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planRun, type RunFacts } from '#server/loop/pipeline/selection/run-plan.ts'

const facts: RunFacts = {
  selection: {
    trainRows: 1000,
    holdoutRows: 100,
    unlearnedRows: 1000,
    skipped: [],
    tokens: 50_000,
  },
  holdoutPercent: 5,
  hasVersion: false,
  enabled: true,
  trainable: true,
  secondsPerToken: 0.001,
  usdPerHour: 600_000_000_000n,
}
const counts = (trainRows: number, holdoutRows: number, unlearnedRows = trainRows) => ({
  selection: { ...facts.selection, trainRows, holdoutRows, unlearnedRows },
})

test('steps, seconds and cost follow from rows, tokens and pace', () => {
  const plan = planRun(facts)
  // 15 passes over 950 rows, 16 at a time, with 50 tokens each.
  assert.equal(plan.steps, 900)
  assert.equal(plan.seconds, 720)
  assert.equal(plan.cost_usd, '0.12')
  assert.deepEqual([plan.have, plan.need, plan.blocked_by], [1100, 1100, null])
})

const blocked: [string, Partial<RunFacts>, string | null][] = [
  ['nothing', {}, null],
  ['a pause first of all', { enabled: false, trainable: false, ...counts(5, 0) }, 'RULE_PAUSED'],
  ['a model without files', { trainable: false, ...counts(0, 0) }, 'PIPELINE_NEEDS_SAVE'],
  ['too few to train on', counts(999, 101), 'NOT_ENOUGH_SAMPLES'],
  ['too few to test with', counts(1500, 99), 'NOT_ENOUGH_SAMPLES'],
  [
    'too few that were not learned',
    { hasVersion: true, ...counts(2000, 100, 999) },
    'NOT_ENOUGH_SAMPLES',
  ],
  ['enough that were not learned', { hasVersion: true, ...counts(2000, 100, 1000) }, null],
]
for (const [name, change, code] of blocked) {
  test(`what stands in the way: ${name}`, () =>
    assert.equal(planRun({ ...facts, ...change }).blocked_by, code))
}

test('after the first version only what was not learned counts, and 1,000 are needed', () => {
  const { have, need } = planRun({ ...facts, hasVersion: true, ...counts(2000, 100, 1000) })
  assert.deepEqual([have, need], [1000, 1000])
})

test('without rows there is nothing to pay', () => {
  const { steps, seconds, cost_usd } = planRun({
    ...facts,
    selection: { trainRows: 0, holdoutRows: 0, unlearnedRows: 0, skipped: [], tokens: 0 },
  })
  assert.deepEqual([steps, seconds, cost_usd], [0, 0, '0'])
})
