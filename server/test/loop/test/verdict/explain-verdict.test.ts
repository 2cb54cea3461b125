// What a verdict says to people.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainVerdict, type VerdictFacts } from '#server/loop/test/verdict/explain-verdict.ts'
import { heldBackVerdict, type TestSetting } from '#server/loop/test/verdict/held-back-verdict.ts'
import { passRates } from '#server/loop/test/verdict/pass-rates.ts'
import type { TestedSample } from '#server/loop/test/verdict/readings.ts'
import { type OutcomeCounts, testedSamples } from '../../../support/tested-samples.ts'

function said(
  samples: readonly TestedSample[],
  facts: Partial<VerdictFacts> = {},
  setting: Partial<TestSetting> = {},
) {
  const verdict = heldBackVerdict(samples, { testNo: 1, ...setting })
  return explainVerdict(verdict, passRates(samples), {
    liveName: 'the base model',
    judge: 'plain',
    missing: 0,
    leftOut: 0,
    decided: verdict.outcome,
    ...facts,
  })
}

test('a better training says what was measured and how sure that is, and no more', () => {
  assert.deepEqual(said(testedSamples({ wins: 40, losses: 4, bothRight: 20, bothWrong: 36 })), {
    headline: 'was better than the base model',
    detail:
      'It passed 60% of 100 samples, and the base model 24%. Its answer was better on 40 of them and worse on 4; 56 were ties. ' +
      'Its score rose by 36 points; the true rise is very likely between 27 and 45 points.',
  })
})

test('one that is not better says the first check that failed, and which gains such a test shows', () => {
  const samples = testedSamples({ wins: 31, losses: 19, bothRight: 10, bothWrong: 40 })
  assert.deepEqual(said(samples, { liveName: 'version 3' }), {
    headline: 'was not better than version 3',
    detail:
      'It passed 41% of 100 samples, and version 3 29%. Its answer was better on 31 of them and worse on 19; 50 were ties. ' +
      'Its wins may be luck. Luck alone gives 31 or more wins of 50 in 5.95% of all tests; at most 5% is accepted. ' +
      'A test of 100 samples mostly shows gains in pass rate from 18.2 points on; smaller ones can remain unseen.',
  })
})

test('each check that fails first has its reason in words', () => {
  for (const [samples, reason] of [
    [testedSamples({ wins: 60 }), /That is too little to decide on\. 60 samples were scored;/],
    [testedSamples({ wins: 100, unscored: 51 }), /Too many samples could not be scored.* 51 samp/],
    [testedSamples({ losses: 100 }), /not better often enough\. .* on 0 of the 100 samples/],
    [testedSamples({ wins: 9, bothRight: 991 }), /did not rise enough\. .*0\.01 is needed, the le/],
    [
      testedSamples({ wins: 100 }, { score: 0.5, liveScore: 0.48 }),
      /from 0\.48 to 0\.5, a change of 0\.02; at least 0\.05 is needed\./,
    ],
    [
      testedSamples({ wins: 100 }, { score: 0.92, liveScore: 0.9 }),
      /at least 0\.025 is needed, a quarter of what the live score leaves to gain\./,
    ],
  ] as const) {
    assert.match(said(samples).detail, reason)
  }
})

test('an inconclusive one says what was left out and why', () => {
  const samples = [
    ...testedSamples({ wins: 60, missing: 7 }),
    ...testedSamples({ unscored: 20 }),
    ...testedSamples({ unscored: 21 }, { liveAnswered: false, score: 1 }),
  ]
  const { headline, detail } = said(samples, { missing: 7 })
  assert.equal(headline, 'could not be decided by its test')
  assert.match(
    detail,
    /Left out: only the live model gave no answer \(21\), the judge did not answer \(20\), the sample was gone or could not be read \(7\)\./,
  )
  assert.match(said(testedSamples({ unscored: 100 })).detail, /^No held-back sample could be sc/)
})

test('where no gain could be seen, it says so', () => {
  const { detail } = said(testedSamples({ bothRight: 100 }))
  assert.match(detail, /The live model passes so much that 100 samples can hardly show a gain\./)
})

test('from half on, it says that right answers are the live version’s own words', () => {
  const withWords = (count: number) =>
    said([
      ...testedSamples({ bothRight: count }, { liveWords: true }),
      ...testedSamples({ bothWrong: 100 - count }),
    ]).detail
  assert.doesNotMatch(withWords(49), /own words/)
  assert.match(withWords(50), /For 50% of the samples the right answer is the live version's own/)
})

test('the label that moved most is named, of a better one first what fell; not one that every sample has', () => {
  const labelled = (rises: number, falls: number, wins: number) =>
    said([
      ...testedSamples({ wins: rises, bothRight: 20 - rises }, { tags: ['shop', 'refund'] }),
      ...testedSamples({ losses: falls, bothRight: 20 - falls }, { tags: ['shop', 'delivery'] }),
      ...testedSamples({ wins, bothRight: 60 - wins }, { tags: ['shop'] }),
    ]).detail
  const fell = /fell most on delivery: from 1 to 0\.8 on 20 samples\.$/
  assert.match(labelled(5, 4, 0), /rose most on refund: from 0\.75 to 1 on 20 samples\.$/)
  assert.match(labelled(3, 4, 0), fell)
  assert.match(labelled(5, 4, 60), fell)
  assert.match(labelled(1, 0, 60), /rose most on refund/)
  assert.doesNotMatch(labelled(0, 0, 60), /most on/)
})

const noAnswer = { candidateAnswered: false, score: null, pair: null, swappedPair: null }
const unanswered = (count: number, more: Partial<TestedSample>, others: OutcomeCounts) => [
  ...testedSamples({ bothRight: count }, { ...noAnswer, ...more }),
  ...testedSamples(others),
]
const flipped = (count: number) => [
  ...testedSamples({ bothRight: count }, { pair: 'candidate', swappedPair: 'live' }),
  ...testedSamples({ bothRight: 100 - count }),
]
const repeated = (times: number) =>
  testedSamples({ wins: 90, losses: 30 }).map((sample, at) => {
    return { ...sample, questionKey: `${Math.floor(at / times)}` }
  })
const moved = (liveScore: number, score: number) =>
  testedSamples({ wins: 100 }, { score, liveScore })
const clear = testedSamples({ wins: 40, losses: 10, bothRight: 50 })
const fourth = { testNo: 4, earlier: [0.038, 0.038, 0.038] }

type Facts = Partial<VerdictFacts>
const told: [what: string, TestedSample[], says: RegExp, Facts?, Partial<TestSetting>?][] = [
  [
    'silence',
    unanswered(100, {}, {}),
    /ties\. It gave no answer to 100 samples, and each .* loss\. The/,
  ],
  [
    'length',
    unanswered(40, { question: 'too_long' }, { wins: 30, bothRight: 30 }),
    /\. The questions of 40 samples are too long for it, and each counts as a loss\. The new answer/,
  ],
  [
    'little silence',
    unanswered(2, {}, { losses: 40, bothRight: 58 }),
    /a loss\. Its answers were not/,
  ],
  [
    'silence of a better one',
    unanswered(1, {}, { wins: 50, bothRight: 49 }),
    /no answer to 1 sample/,
  ],
  ['29 orders that disagree', flipped(29), /^((?!judge).)*$/],
  ['30 of them', flipped(30), /The judge plain contradicts itself: on 30% .* another judge_model/],
  [
    'a question each',
    repeated(1),
    /better on 90 of them and worse on 30; none were ties\. Its score/,
  ],
  [
    'half as many',
    repeated(2),
    /On the 60 different questions .* 45 and worse on 15; none were ties\. Its/,
  ],
  [
    'fewer',
    repeated(3),
    /Many samples ask the same; those of one question have one vote together\./,
  ],
  ['the first test', clear, /^((?!on the same).)*$/],
  [
    'the fourth',
    clear,
    /test 4 on the same .* would call an equal model better in 11% of/,
    {},
    fourth,
  ],
  ['a clear loss', testedSamples({ losses: 80, bothRight: 20 }), /^((?!gain).)*$/],
  [
    'a change that two digits hide',
    moved(0.914, 0.917),
    /from 0\.914 to 0\.917, a change of 0\.003;/,
  ],
  ['one that they tell', moved(0.91, 0.92), /from 0\.91 to 0\.92, a change of 0\.01;/],
  [
    'what was not paid',
    clear,
    /was gone .* \(2\), the money .* \(6\)\./,
    { missing: 2, leftOut: 6 },
  ],
]
for (const [what, samples, says, facts, setting] of told) {
  test(`told, or not: ${what}`, () => assert.match(said(samples, facts, setting).detail, says))
}

test('the headline follows from the policy, and the detail says where the test differs', () => {
  const equal = testedSamples({ wins: 25, losses: 25, bothRight: 50 })
  for (const [samples, decided, headline, detail] of [
    [
      clear,
      'not_better',
      /was not better/,
      /^It passed the held-back test; the .* policy asks for more/,
    ],
    [clear, 'inconclusive', /could not be decided/, /^It passed the .* needs a benchmark/],
    [
      equal,
      'better',
      /was better/,
      /^It did not pass the .* very likely between -12 and 12 points\. The new/,
    ],
  ] as const) {
    const sentences = said(samples, { decided })
    assert.match(sentences.headline, headline)
    assert.match(sentences.detail, detail)
  }
})
