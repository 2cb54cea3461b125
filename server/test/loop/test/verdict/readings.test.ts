// How one held-back sample counts, by what was answered and what the judge said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample, type TestedSample } from '#server/loop/test/verdict/readings.ts'
import { passRates } from '#server/loop/test/verdict/pass-rates.ts'
import { testedSample } from '../../../support/tested-samples.ts'

const scores = { score: 0.4, liveScore: 0.6 }
const lost = (liveScore: number) => ({ kind: 'scored', score: 0, liveScore, outcome: 'loss' })
const unread = { score: null, liveScore: null, pair: null, swappedPair: null }

const cases: [behaviour: string, measured: Partial<TestedSample>, counts: object][] = [
  [
    'a win needs both orders to agree',
    { ...scores, pair: 'candidate', swappedPair: 'candidate' },
    { kind: 'scored', ...scores, outcome: 'win' },
  ],
  [
    'and so does a loss',
    { ...scores, pair: 'live', swappedPair: 'live' },
    { kind: 'scored', ...scores, outcome: 'loss' },
  ],
  [
    'orders that disagree are a tie',
    { ...scores, pair: 'candidate', swappedPair: 'live' },
    { kind: 'scored', ...scores, outcome: 'tie' },
  ],
  [
    'better in the first order alone is a tie',
    { ...scores, pair: 'candidate', swappedPair: 'tie' },
    { kind: 'scored', ...scores, outcome: 'tie' },
  ],
  [
    'better in the second order alone is a tie',
    { ...scores, pair: 'tie', swappedPair: 'candidate' },
    { kind: 'scored', ...scores, outcome: 'tie' },
  ],
  [
    'two ties are a tie',
    { ...scores, pair: 'tie', swappedPair: 'tie' },
    { kind: 'scored', ...scores, outcome: 'tie' },
  ],
  ...(['score', 'liveScore', 'pair', 'swappedPair'] as const).map(
    (reading): [string, Partial<TestedSample>, object] => [
      `without a readable ${reading} it is unscored`,
      { [reading]: null, failure: 'judge_failed' },
      { kind: 'unscored', reason: 'judge_failed' },
    ],
  ),
  [
    'without a reason the readings were unreadable',
    { pair: null },
    { kind: 'unscored', reason: 'unreadable' },
  ],
  [
    'what only the live model did not answer is unscored',
    { ...unread, liveAnswered: false, score: 1 },
    { kind: 'unscored', reason: 'live_no_answer' },
  ],
  [
    'what only the new model did not answer is lost against the live score',
    { ...unread, candidateAnswered: false, liveScore: 0.8 },
    lost(0.8),
  ],
  [
    'or against full marks, where the live score could not be read',
    { ...unread, candidateAnswered: false, failure: 'unreadable' },
    lost(1),
  ],
  [
    'what neither answered is lost against 0',
    { ...unread, candidateAnswered: false, liveAnswered: false },
    lost(0),
  ],
  [
    'a question that is too long for the new model alone is lost against the live score',
    { ...unread, question: 'too_long', candidateAnswered: false, liveScore: 0.8 },
    lost(0.8),
  ],
  [
    'one that is too long for both is lost against 0',
    { ...unread, question: 'too_long', candidateAnswered: false, liveAnswered: false },
    lost(0),
  ],
  [
    'a missing sample counts nowhere',
    { ...unread, question: 'missing', candidateAnswered: false },
    { kind: 'missing' },
  ],
]

for (const [behaviour, measured, counts] of cases) {
  test(behaviour, () => assert.deepEqual(readSample(testedSample(measured)), counts))
}

test('an answer passes at 7 out of 10, however that was summed', () => {
  const samples = [0.69, 0.7, 0.7999999 - 0.0999999, 1].map((score) =>
    testedSample({ score, liveScore: 1 - score }),
  )
  assert.deepEqual(passRates(samples), { candidate: 0.75, live: 0 })
  assert.equal(passRates([testedSample({ pair: null })]), null)
})
