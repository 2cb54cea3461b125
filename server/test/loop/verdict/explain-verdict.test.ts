// What a verdict says to people.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainVerdict, type VerdictFacts } from '#server/loop/verdict/explain-verdict.ts'
import { heldBackVerdict } from '#server/loop/verdict/held-back-verdict.ts'
import { passRates } from '#server/loop/verdict/pass-rates.ts'
import type { TestedSample } from '#server/loop/verdict/readings.ts'
import { testedSamples } from '../../support/tested-samples.ts'

function said(samples: readonly TestedSample[], facts: Partial<VerdictFacts> = {}) {
  return explainVerdict(heldBackVerdict(samples, { testNo: 1 }), passRates(samples), {
    liveName: 'the base model',
    missing: 0,
    ...facts,
  })
}

test('a better training says what was measured, and no more', () => {
  assert.deepEqual(said(testedSamples({ wins: 40, losses: 4, bothRight: 20, bothWrong: 36 })), {
    headline: 'was better than the base model',
    detail:
      'It passed 60% of 100 samples, and the base model 24%. Its answer was better on 40 of them and worse on 4; 56 were ties.',
    next: null,
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
    next: 'Its samples go to the next attempt.',
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

test('an inconclusive one says what was left out and why, and leaves the choice', () => {
  const samples = [
    ...testedSamples({ wins: 60, missing: 7 }),
    ...testedSamples({ unscored: 20 }),
    ...testedSamples({ unscored: 21 }, { liveAnswered: false, score: 1 }),
  ]
  const { headline, detail, next } = said(samples, { missing: 7 })
  assert.equal(headline, 'could not be decided by its test')
  assert.match(
    detail,
    /Left out: only the live model gave no answer \(21\), the judge did not answer \(20\), the sample was gone or could not be read \(7\)\./,
  )
  assert.equal(next, 'Approve it with force, or press train now.')
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

test('the label that moved most is named, not one that every sample has', () => {
  const labelled = (rises: number, falls: number) =>
    said([
      ...testedSamples({ wins: rises, bothRight: 20 - rises }, { tags: ['shop', 'refund'] }),
      ...testedSamples({ losses: falls, bothRight: 20 - falls }, { tags: ['shop', 'delivery'] }),
      ...testedSamples({ wins: 60 }, { tags: ['shop'] }),
    ]).detail
  assert.match(labelled(4, 3), /rose most on refund: from 0\.8 to 1 on 20 samples\.$/)
  assert.match(labelled(3, 4), /fell most on delivery: from 1 to 0\.8 on 20 samples\.$/)
  assert.match(labelled(1, 0), /rose most on refund/)
  assert.doesNotMatch(labelled(0, 0), /most on/)
})
