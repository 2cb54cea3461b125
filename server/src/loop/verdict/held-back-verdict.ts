// The verdict on a training from its held-back samples, with all that explains it. Pure.
import type { Verdict } from '#contract/verdict.ts'
import { checkSentence } from './check-sentence.ts'
import { intervalOf } from './gain.ts'
import { passRates } from './pass-rates.ts'
import { smallestGainVisible } from './power.ts'
import { readSample, type TestedSample } from './readings.ts'
import { countTest } from './test-counts.ts'
import { verdictOfCounts } from './verdict-of-counts.ts'

const tagScoredLeast = 10

export function heldBackVerdict(
  samples: readonly TestedSample[],
  { testNo }: { testNo: number },
): Verdict {
  const counts = countTest(samples)
  const { scored, wins, losses } = counts
  const { outcome, checks, gain } = verdictOfCounts(counts)
  const rates = passRates(samples)
  return {
    outcome,
    checks: checks.map((check) => ({
      ...check,
      required: shown(check.required),
      measured: shownOrNull(check.measured),
      sentence: checkSentence(check, counts, gain),
    })),
    scored,
    unscored: [...counts.unscoredBy]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    wins,
    losses,
    ties: scored - wins - losses,
    score: shownOrNull(gain.score),
    live_score: shownOrNull(gain.liveScore),
    gain: shownOrNull(gain.gain),
    standard_error: shownOrNull(gain.standardError),
    interval: shownInterval(intervalOf(gain)),
    // A test that could not be decided would not have shown a larger gain either.
    smallest_gain_visible:
      rates === null || outcome === 'inconclusive'
        ? null
        : smallestGainVisible(scored, rates.incumbent),
    test_no: testNo,
    live_words_share: shown(liveWordsShare(samples)),
    by_tag: byTag(samples),
  }
}

function liveWordsShare(samples: readonly TestedSample[]): number {
  const there = samples.filter(({ question }) => question !== 'missing')
  return there.length === 0 ? 0 : there.filter(({ liveWords }) => liveWords).length / there.length
}

function byTag(samples: readonly TestedSample[]): Verdict['by_tag'] {
  const sums = new Map<string, { scored: number; score: number; liveScore: number }>()
  for (const sample of samples) {
    const result = readSample(sample)
    if (result.kind !== 'scored') continue
    for (const tag of new Set(sample.tags)) {
      const sum = sums.get(tag) ?? { scored: 0, score: 0, liveScore: 0 }
      sum.scored += 1
      sum.score += result.score
      sum.liveScore += result.liveScore
      sums.set(tag, sum)
    }
  }
  return [...sums]
    .filter(([, { scored }]) => scored >= tagScoredLeast)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, { scored, score, liveScore }]) => ({
      tag,
      scored,
      score: shown(score / scored),
      live_score: shown(liveScore / scored),
    }))
}

/** Without errors of rounding, and finer than any difference that decides: a policy compares these numbers again. */
function shown(value: number): number {
  return Math.round(value * 1e9) / 1e9 + 0
}

function shownOrNull(value: number | null): number | null {
  return value === null ? null : shown(value)
}

function shownInterval(interval: [number, number] | null): [number, number] | null {
  return interval && [shown(interval[0]), shown(interval[1])]
}
