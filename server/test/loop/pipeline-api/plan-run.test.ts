// What an attempt would do: rows, steps, time, cost, and what stands in its way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unhindered } from '#test/support/start-facts.ts'
import { planRun, type RunFacts } from '#server/loop/pipeline-api/plan-run.ts'
import { trainingDefaults } from '#server/loop/pipeline-api/training-defaults.ts'

const automatic = {
  epochs: null,
  learning_rate: null,
  lora_rank: null,
  lora_alpha: null,
  replay_percent: null,
}
const facts: RunFacts = {
  selection: {
    trainRows: 1099,
    holdoutRows: 100,
    unlearnedRows: 1099,
    skipped: [],
    tokens: 1099 * 50,
  },
  training: automatic,
  heldBackPercent: 5,
  minEpochs: 3,
  hasVersion: false,
  secondsPerToken: 0.001,
  trainingPricePerHour: 600_000_000_000n,
  test: {
    samples: 100,
    usual: 20_000_000_000n,
    most: 50_000_000_000n,
    money: 25_000_000_000_000n,
    unaffordable: null,
  },
  start: unhindered,
}
const tested = (change: Partial<RunFacts['test']>): Partial<RunFacts> => ({
  test: { ...facts.test!, ...change },
})
const rows = (
  trainRows: number,
  holdoutRows: number,
  unlearnedRows = trainRows,
): Partial<RunFacts> => ({
  selection: { trainRows, holdoutRows, unlearnedRows, skipped: [], tokens: trainRows * 50 },
})

test('a plan takes the steps of the automatic settings, and costs whole seconds', () => {
  assert.deepEqual(planRun(facts), {
    train_rows: 1099,
    holdout_rows: 100,
    skipped_rows: [],
    have: 1199,
    need: 1100,
    // 15 passes over 66 batches: 95% of the rows, 16 at a time, with 50 tokens each.
    steps: 990,
    seconds: 792,
    cost_usd: '0.132',
    test_usd: '2',
    // Four hours of training, and the test.
    most_usd: '7.4',
    blocked_by: null,
  })
})

for (const [what, change, expected] of [
  ['chosen epochs', { training: { ...automatic, epochs: 2 } }, { steps: 132, seconds: 106 }],
  ['a part of a second counts as one', { secondsPerToken: 0.000_000_1 }, { seconds: 1 }],
  ['the least epochs of a family', { ...rows(9500, 500), minEpochs: 8 }, { steps: 8 * 565 }],
  [
    'what was skipped is shown',
    {
      selection: {
        trainRows: 1000,
        holdoutRows: 100,
        unlearnedRows: 1000,
        skipped: [{ reason: 'too_long', count: 2 }],
        tokens: 50_000,
      },
    },
    { skipped_rows: [{ reason: 'too_long', count: 2 }], blocked_by: null },
  ],
  ['too few', rows(999, 100), { have: 1099, need: 1100, blocked_by: 'NOT_ENOUGH_SAMPLES' }],
  ['too few of all', rows(300, 100), { have: 400, need: 1100, blocked_by: 'NOT_ENOUGH_SAMPLES' }],
  [
    'too few to hold back',
    rows(1100, 99),
    { have: 1199, need: 1200, blocked_by: 'NOT_ENOUGH_SAMPLES' },
  ],
  [
    'too few beside what is held back',
    rows(998, 102),
    { have: 1100, need: 1102, blocked_by: 'NOT_ENOUGH_SAMPLES' },
  ],
  [
    'new ones, and too few to hold back',
    { ...rows(1500, 60, 1200), hasVersion: true },
    { have: 1200, need: 1240, blocked_by: 'NOT_ENOUGH_SAMPLES' },
  ],
  [
    'new ones of a pipeline with a version',
    { ...rows(1000, 100), hasVersion: true },
    { have: 1000, need: 1000, blocked_by: null },
  ],
  [
    'too few that no version has learned',
    { ...rows(2000, 300, 999), hasVersion: true },
    { have: 999, need: 1000, blocked_by: 'NOT_ENOUGH_SAMPLES' },
  ],
  [
    'no rows',
    { ...rows(0, 0), test: null },
    { steps: 0, seconds: 0, cost_usd: '0', test_usd: '0' },
  ],
  [
    'as many tested as are paid for',
    tested({ samples: 1500 }),
    { test_usd: '10', most_usd: '27.4' },
  ],
  [
    'a test of samples whose mean is dearer than that of the first 90',
    tested({ usual: 290_000_000_000n, most: 300_000_000_000n }),
    { test_usd: '25', most_usd: '27.4', blocked_by: null },
  ],
  [
    'a test that costs nothing',
    tested({ usual: 0n, most: 0n }),
    { test_usd: '0', most_usd: '2.4' },
  ],
  [
    'a test that cannot be paid for: what 90 would cost',
    tested({ most: 300_000_000_000n, unaffordable: 'so' }),
    { test_usd: '1.8', most_usd: '29.4', blocked_by: 'TEST_NOT_AFFORDABLE' },
  ],
  [
    'a code with which it is refused first',
    { ...rows(999, 100), ...tested({ unaffordable: 'so' }) },
    { blocked_by: 'NOT_ENOUGH_SAMPLES' },
  ],
  [
    'the first of several causes, by the table of codes',
    { ...rows(1, 1), start: { ...unhindered, running: true, needsSave: 'judge' } },
    { blocked_by: 'RUN_ACTIVE' },
  ],
] as [string, Partial<RunFacts>, object][]) {
  test(`a plan with ${what}`, () => {
    assert.partialDeepStrictEqual(planRun({ ...facts, ...change }), expected)
  })
}

for (const [usable, minEpochs, epochs, steps] of [
  [0, 3, 15, 900],
  [1000, 3, 15, 900],
  [2000, 3, 9, 1071],
  [17_600, 3, 3, 3135],
  [17_600, 8, 8, 8360],
] as const) {
  test(`the defaults for ${usable} rows and at least ${minEpochs} epochs`, () => {
    assert.deepEqual(trainingDefaults(usable, minEpochs), {
      epochs,
      learning_rate: 0.0002,
      lora_rank: 16,
      lora_alpha: 32,
      replay_percent: 50,
      min_epochs: minEpochs,
      steps,
    })
  })
}
