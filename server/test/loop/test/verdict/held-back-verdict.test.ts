// The rules of the held-back test at their boundaries, and what a verdict tells besides its outcome.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { verdict as wireVerdict, type VerdictRule } from '#contract/verdict.ts'
import { heldBackVerdict } from '#server/loop/test/verdict/held-back-verdict.ts'
import type { TestedSample } from '#server/loop/test/verdict/readings.ts'
import { isWorthTesting } from '#server/loop/test/verdict/verdict-of-counts.ts'
import {
  outcomes,
  testedSample,
  testedSamples,
  type OutcomeCounts,
} from '../../../support/tested-samples.ts'

const verdictOf = (samples: readonly TestedSample[]) => heldBackVerdict(samples, { testNo: 1 })
const failedRules = (samples: readonly TestedSample[]) =>
  verdictOf(samples).checks.flatMap(({ rule, passed }) => (passed ? [] : [rule]))

/** The judge prefers `wins` and `losses`, and scores go up by 1 on `up` samples and down on `down`, of a hundred. */
function apart(preferred: [wins: number, losses: number], scores: [up: number, down: number]) {
  return Array.from({ length: 100 }, (_, index) => {
    const pair =
      index < preferred[0] ? 'candidate' : index < preferred[0] + preferred[1] ? 'live' : 'tie'
    const isUp = index < scores[0]
    const isDown = !isUp && index < scores[0] + scores[1]
    return testedSample({
      pair,
      swappedPair: pair,
      score: isUp ? 1 : 0,
      liveScore: isDown ? 1 : 0,
    })
  })
}

const boundaries: [boundary: string, samples: TestedSample[], failed: VerdictRule[]][] = [
  ['550 wins of 1,000 decided', testedSamples({ wins: 550, losses: 450 }), []],
  // A single sample less is short of 55%, and neither the gain nor luck stops it.
  ['549 wins of 1,000 decided', testedSamples({ wins: 549, losses: 451 }), ['wins']],
  ['11 wins of 20 decided are 55%', apart([11, 9], [50, 0]), ['chance']],
  ['10 wins of 20 decided are not', apart([10, 10], [50, 0]), ['wins', 'chance']],

  [
    'a gain of exactly 0.05',
    testedSamples({ wins: 150, losses: 100, bothRight: 200, bothWrong: 550 }),
    [],
  ],
  [
    'a gain of 0.049',
    testedSamples({ wins: 149, losses: 100, bothRight: 200, bothWrong: 551 }),
    ['gain'],
  ],
  [
    'a gain of a quarter of the headroom above 0.92',
    testedSamples({ wins: 25, losses: 5, bothRight: 915, bothWrong: 55 }),
    [],
  ],
  [
    'a gain short of a quarter of the headroom',
    testedSamples({ wins: 24, losses: 5, bothRight: 915, bothWrong: 56 }),
    ['gain'],
  ],
  ['a gain above 1.645 standard errors', apart([60, 40], [32, 20]), []],
  ['a gain below 1.645 standard errors', apart([60, 40], [31, 20]), ['gain']],
  [
    'a gain of exactly 0.01 above 0.97',
    testedSamples({ wins: 14, losses: 4, bothRight: 966, bothWrong: 16 }),
    [],
  ],
  [
    'a gain of 0.009 above 0.97',
    testedSamples({ wins: 13, losses: 4, bothRight: 966, bothWrong: 17 }),
    ['gain'],
  ],
  [
    'a gain of 0.05 that is the sum of many 0.1 less many 0.05',
    Array.from({ length: 100 }, (_, index) =>
      testedSample({
        score: 0.1,
        liveScore: 0.05,
        ...(index < 60 && { pair: 'candidate', swappedPair: 'candidate' }),
      }),
    ),
    [],
  ],

  ['32 wins of 50 decided', apart([32, 18], [50, 0]), []],
  ['31 wins of 50 decided', apart([31, 19], [50, 0]), ['chance']],
  ['59 wins of 100 decided', apart([59, 41], [50, 0]), []],
  ['58 wins of 100 decided', apart([58, 42], [50, 0]), ['chance']],

  ['100 scored', testedSamples({ wins: 60, bothWrong: 40 }), []],
  ['99 scored', testedSamples({ wins: 60, bothWrong: 39 }), ['scored']],
  ['99 scored and one gone', testedSamples({ wins: 60, bothWrong: 39, missing: 1 }), []],
  [
    '99 scored and one without a score',
    testedSamples({ wins: 60, bothWrong: 39, unscored: 1 }),
    [],
  ],
  ['90 scored and 10 gone', testedSamples({ wins: 60, bothWrong: 30, missing: 10 }), []],
  ['89 scored and 11 gone', testedSamples({ wins: 60, bothWrong: 29, missing: 11 }), ['scored']],
  [
    '90 scored, 5 gone and 4 without a score',
    testedSamples({ wins: 60, bothWrong: 30, missing: 5, unscored: 4 }),
    ['scored'],
  ],

  ['half as many failures as scored', testedSamples({ wins: 100, unscored: 50 }), []],
  ['one failure more than half', testedSamples({ wins: 100, unscored: 51 }), ['failures']],
  ['missing samples are no failures', testedSamples({ wins: 100, missing: 400 }), []],

  ['no decided pair', apart([0, 0], [50, 0]), ['wins', 'chance']],
  [
    'orders that disagree on every sample',
    testedSamples({ wins: 100 }, { swappedPair: 'live' }),
    ['wins', 'chance'],
  ],
]

for (const [boundary, samples, failed] of boundaries) {
  test(`${boundary}: ${failed.length === 0 ? 'better' : `fails ${failed.join(' and ')}`}`, () => {
    assert.deepEqual(failedRules(samples), failed)
    const undecided = failed.includes('scored') || failed.includes('failures')
    const outcome = undecided ? 'inconclusive' : failed.length === 0 ? 'better' : 'not_better'
    assert.equal(verdictOf(samples).outcome, outcome)
  })
}

test('nothing is compared on fewer than 90 samples', () => {
  assert.deepEqual([isWorthTesting(89), isWorthTesting(90)], [false, true])
})

test('a test without any score is inconclusive and says nothing that it did not measure', () => {
  for (const counts of [{}, { missing: 100 }, { unscored: 100 }] satisfies OutcomeCounts[]) {
    const verdict = verdictOf(testedSamples(counts))
    assert.equal(verdict.outcome, 'inconclusive')
    const { score, live_score, gain, standard_error, interval, smallest_gain_visible } = verdict
    assert.deepEqual(
      [score, live_score, gain, standard_error, interval, smallest_gain_visible],
      [null, null, null, null, null, null],
    )
  }
})

test('a verdict has all its numbers, and each check says its own', () => {
  const samples = [
    ...testedSamples({ wins: 36, losses: 9 }, { tags: ['refund', 'shop'] }),
    ...testedSamples({ bothRight: 9 }, { tags: ['delivery', 'shop'], liveWords: true }),
    ...testedSamples({ bothWrong: 46 }, { tags: ['shop', 'shop'] }),
    ...testedSamples({ unscored: 2 }, { tags: ['delivery'] }),
    ...testedSamples({ unscored: 3 }, { failure: 'unreadable', liveWords: true }),
    ...testedSamples({ missing: 4 }, { liveWords: true }),
  ]
  const verdict = heldBackVerdict(samples, { testNo: 2 })
  assert.deepEqual(wireVerdict.parse(verdict), verdict)
  const { checks, ...rest } = verdict
  assert.deepEqual(rest, {
    outcome: 'better',
    scored: 100,
    questions: 100,
    unscored: [
      { reason: 'unreadable', count: 3 },
      { reason: 'judge_failed', count: 2 },
    ],
    wins: 36,
    losses: 9,
    ties: 55,
    score: 0.45,
    live_score: 0.18,
    gain: 0.27,
    // The deviation of the changes is the root of (45 - 100 x 0.27²) / 99.
    standard_error: 0.061717833,
    interval: [0.168474165, 0.371525835],
    smallest_gain_visible: 0.166,
    test_no: 2,
    // 29 wins of 45 decided.
    chance_of_any: 0.03622713,
    chance_of_policy: 0.03622713,
    silent: 0,
    too_long: 0,
    order_flips: 0,
    live_words_share: 0.114285714,
    by_tag: [
      { tag: 'refund', scored: 45, score: 0.8, live_score: 0.2 },
      { tag: 'shop', scored: 100, score: 0.45, live_score: 0.18 },
    ],
  })
  assert.deepEqual(
    checks.map(({ rule, required, measured, sentence }) => [rule, required, measured, sentence]),
    [
      ['scored', 91, 100, '100 samples were scored; at least 91 are needed.'],
      [
        'failures',
        50,
        5,
        '5 samples could not be scored; at most 50 may fail, half as many as were scored.',
      ],
      [
        'wins',
        0.55,
        0.8,
        'The new answer was better on 36 of the 45 samples where one answer was better, which is 80%; at least 55% is needed.',
      ],
      [
        'gain',
        0.101525835,
        0.27,
        'The mean score went from 0.18 to 0.45, a change of 0.27; at least 0.102 is needed, because chance alone can move this mean by almost as much.',
      ],
      [
        'chance',
        0.05,
        0.000032873,
        'Luck alone gives 36 or more wins of 45 in less than 0.01% of all tests; at most 5% is accepted.',
      ],
    ],
  )
})

test('samples of one question have one vote, and count once towards how sure the gain is', () => {
  const samples = [
    ...sameQuestions(testedSamples({ wins: 12, losses: 8 }), 5),
    testedSample({ ...outcomes.wins, questionKey: 'q0' }),
  ]
  const { outcome, scored, questions, wins, losses, ties, checks } = verdictOf(samples)
  assert.deepEqual(
    [outcome, scored, questions, wins, losses, ties],
    ['not_better', 101, 20, 12, 8, 0],
  )
  assert.equal(checks[4]?.measured, 0.251722336)
  // The questions change by 5 or -5 around 5 times 0.2: 20/19 x (12 x 4² + 8 x 6²) is 505.26.
  const { standard_error, interval } = verdictOf(samples.slice(0, 100))
  assert.equal(standard_error, 0.224780595)
  assert.deepEqual(interval, [-0.169764078, 0.569764078])
  assert.match(checks[2]?.sentence ?? '', /on 12 of the 20 questions where/)
})

test('a question votes by the sum of its samples', () => {
  const [win, loss] = [outcomes.wins, outcomes.losses]
  for (const [samples, votes] of [
    [
      [win, win, loss],
      [1, 0, 0],
    ],
    [
      [win, loss, loss, outcomes.bothRight],
      [0, 1, 0],
    ],
    [
      [win, loss],
      [0, 0, 1],
    ],
    [
      [win, outcomes.unscored, outcomes.missing],
      [1, 0, 0],
    ],
  ] as const) {
    const { wins, losses, ties } = verdictOf(
      samples.map((sample) => testedSample({ ...sample, questionKey: 'one' })),
    )
    assert.deepEqual([wins, losses, ties], votes)
  }
})

test('repeated questions raise what a test can show', () => {
  const equal = testedSamples({ bothRight: 12, bothWrong: 13 })
  assert.equal(verdictOf(sameQuestions(equal, 4)).smallest_gain_visible, 0.379)
})

test('what the money left out lowers the bar of 100 down to 90, and fails nothing', () => {
  for (const [scored, leftOut, outcome] of [
    [94, 5, 'inconclusive'],
    [94, 6, 'better'],
    [90, 1400, 'better'],
    [89, 1411, 'inconclusive'],
  ] as const) {
    const verdict = heldBackVerdict(testedSamples({ wins: scored }), { testNo: 1, leftOut })
    assert.equal(verdict.outcome, outcome)
    assert.match(verdict.checks[0]!.sentence, /needed, as the money did not cover [\d,]+ more\.$/)
  }
})

test('silence, length and orders that disagree are counted', () => {
  const none = { candidateAnswered: false, score: null, pair: null, swappedPair: null }
  const { silent, too_long, order_flips } = verdictOf([
    ...testedSamples({ bothRight: 7 }, none),
    ...testedSamples({ bothRight: 5 }, { ...none, question: 'too_long' }),
    ...testedSamples({ bothRight: 3 }, { pair: 'candidate', swappedPair: 'live' }),
    ...testedSamples({ bothRight: 1 }, { swappedPair: 'live' }),
    ...testedSamples({ wins: 4, bothRight: 2, missing: 3 }),
  ])
  assert.deepEqual([silent, too_long, order_flips], [7, 5, 4 / 13].map(rounded))
  assert.equal(verdictOf(testedSamples({ bothRight: 9 }, none)).order_flips, null)
})

test('a change that is the same on every sample has no error', () => {
  const verdict = verdictOf(testedSamples({ wins: 1500 }, { score: 0.8, liveScore: 0.1 }))
  assert.equal(verdict.standard_error, 0)
})

test('with evidence for life, a later test on a set has to show more', () => {
  const decided = (testNo: number, wins: number) =>
    heldBackVerdict(testedSamples({ wins, losses: 100 - wins }), { testNo, evidence: 'life' })
  const first = decided(1, 60)
  assert.equal(first.outcome, 'better')
  assert.match(first.checks[4]!.sentence, /; at most 3\.04% is accepted\.$/)
  assert.equal(decided(2, 60).outcome, 'not_better')
  const { outcome, checks } = decided(2, 64)
  assert.equal(outcome, 'better')
  assert.match(checks[4]!.sentence, /at most 0.76% is accepted, because this is test 2 on its set/)
})

test('a test that decided no sample says so', () => {
  const sentences = verdictOf(testedSamples({ bothRight: 100 })).checks.map(
    ({ sentence }) => sentence,
  )
  assert.deepEqual(
    [sentences[2], sentences[4]],
    [
      'On no sample was one answer better than the other.',
      'No sample was decided, so that luck alone explains the result.',
    ],
  )
})

test('a gain that falls short of its floor is not written like it', () => {
  const { checks } = verdictOf(testedSamples({ wins: 100 }, { score: 0.54999, liveScore: 0.5 }))
  assert.match(checks[3]?.sentence ?? '', /a change of 0\.04999; at least 0\.05 is needed\./)
})

/** Each so many times. */
function sameQuestions(samples: TestedSample[], times: number): TestedSample[] {
  return samples.flatMap((sample, at) =>
    Array.from({ length: times }, () => ({ ...sample, questionKey: `q${at}` })),
  )
}

const rounded = (value: number): number => Number(value.toFixed(9))

const reading = fc.option(fc.constantFrom('candidate', 'live', 'tie'), { nil: null, freq: 20 })
const score = fc.option(fc.constantFrom(0, 0.1, 0.3, 0.7, 1), { nil: null, freq: 20 })
const often = fc.constantFrom(true, true, true, true, false)
const clear = fc.constantFrom(outcomes.wins, outcomes.losses, outcomes.bothRight)
const unclear = fc.record({
  question: fc.constantFrom('asked', 'asked', 'asked', 'too_long', 'missing'),
  candidateAnswered: often,
  liveAnswered: often,
  score,
  liveScore: score,
  pair: reading,
  swappedPair: reading,
})
/** A few kinds of samples, each many times: large tests that are often clear one way or the other. */
const anyTest = fc
  .array(fc.tuple(fc.oneof(clear, unclear), fc.integer({ min: 1, max: 120 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((kinds) =>
    kinds.flatMap(([kind, count]) => Array.from({ length: count }, () => testedSample(kind))),
  )

test('a key that no other sample has changes nothing', () => {
  fc.assert(
    fc.property(anyTest, (samples) => {
      assert.deepEqual(
        verdictOf(samples.map((one, at) => ({ ...one, questionKey: `${at}` }))),
        verdictOf(samples),
      )
    }),
    { numRuns: 30 },
  )
})

test('no test finds either model better than the other', () => {
  let better = 0
  fc.assert(
    fc.property(anyTest, (samples) => {
      const both = [verdictOf(samples).outcome, verdictOf(samples.map(swapped)).outcome]
      if (both.includes('better')) better += 1
      assert.notDeepEqual(both, ['better', 'better'])
    }),
    { numRuns: 150 },
  )
  assert.ok(better > 20, `only ${better} of the tests had a winner`)
})

function swapped(sample: TestedSample): TestedSample {
  const other = { candidate: 'live', live: 'candidate', tie: 'tie' } as const
  return {
    ...sample,
    candidateAnswered: sample.liveAnswered,
    liveAnswered: sample.candidateAnswered,
    score: sample.liveScore,
    liveScore: sample.score,
    pair: sample.pair && other[sample.pair],
    swappedPair: sample.swappedPair && other[sample.swappedPair],
  }
}
