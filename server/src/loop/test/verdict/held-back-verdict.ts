// The verdict on a training from its held-back samples, with all that explains it. Pure.
import type { EvidenceChoice } from '#contract/pipeline-settings.ts'
import type { Verdict } from '#contract/verdict.ts'
import { chanceOfAny, chanceOfLuck } from './chance-of-luck.ts'
import { checkSentence } from './check-sentence.ts'
import { evidenceFor } from './evidence.ts'
import { intervalOf } from './gain.ts'
import { passRates } from './pass-rates.ts'
import { chanceOfPolicy } from './policy-chance.ts'
import type { Policy } from './policy.ts'
import { smallestGainVisible } from './power.ts'
import { readSample, type TestedSample } from './readings.ts'
import { shown, shownOrNull } from './shown.ts'
import { countTest } from './test-counts.ts'
import { verdictOfCounts } from './verdict-of-counts.ts'

const tagScoredLeast = 10

/** A test of a pipeline that keeps the defaults, all of which could be paid for, unless it says otherwise. */
export type TestSetting = {
  /** The how-manieth on its set. */
  testNo: number
  /** How often those before it on the set would have called an equal model better. */
  earlier?: readonly number[]
  /** Held back, and not tested for want of money. */
  leftOut?: number
  evidence?: EvidenceChoice
  policy?: Policy
  /** How many are attached. */
  benchmarks?: number
}

export function heldBackVerdict(samples: readonly TestedSample[], setting: TestSetting): Verdict {
  const { testNo, leftOut = 0 } = setting
  const evidence = evidenceFor(setting.evidence ?? 'each', testNo)
  const counts = countTest(samples, leftOut)
  const { scored, questions, wins, losses, orderFlips } = counts
  const decided = verdictOfCounts(counts, evidence)
  const { outcome, gain } = decided
  const rates = passRates(samples)
  const checks = decided.checks.map((check) => ({
    ...check,
    required: shown(check.required),
    measured: shownOrNull(check.measured),
    sentence: checkSentence(check, { ...decided, counts, testNo }),
  }))
  const standardError = shownOrNull(gain.standardError)
  const chance = chanceOfLuck({ outcome, checks, wins, losses, standard_error: standardError })
  const { earlier = [], policy = byHeldBack, benchmarks = 0 } = setting
  const measured = { heldBack: chance, error: standardError ?? 0, benchmarks }
  return {
    outcome,
    checks,
    scored,
    questions,
    unscored: [...counts.unscoredBy]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    wins,
    losses,
    ties: questions - wins - losses,
    score: shownOrNull(gain.score),
    live_score: shownOrNull(gain.liveScore),
    gain: shownOrNull(gain.gain),
    standard_error: standardError,
    interval: shownInterval(intervalOf(gain)),
    // A test that could not be decided would not have shown a larger gain either.
    smallest_gain_visible:
      rates === null || outcome === 'inconclusive'
        ? null
        : smallestGainVisible(counts.effective, rates.live, evidence),
    test_no: testNo,
    chance_of_any: shown(chanceOfAny([...earlier, chance])),
    chance_of_policy: shown(chanceOfPolicy(policy, measured)),
    silent: counts.silent,
    too_long: counts.tooLong,
    order_flips: shownOrNull(orderFlips),
    live_words_share: shown(liveWordsShare(samples)),
    by_tag: byTag(samples),
  }
}

const byHeldBack: Policy = { policy: 'holdout', k: null }

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

function shownInterval(interval: [number, number] | null): [number, number] | null {
  return interval && [shown(interval[0]), shown(interval[1])]
}
