// What a test measured: the verdict on the held-back samples, and the scores on benchmarks.
import { z } from 'zod'

export const verdictOutcomes = ['better', 'not_better', 'inconclusive'] as const
export type VerdictOutcome = (typeof verdictOutcomes)[number]

/** In the order in which they are checked. Spec 2, held-back test, rule 3. */
export const verdictRules = ['scored', 'failures', 'wins', 'gain', 'chance'] as const
export type VerdictRule = (typeof verdictRules)[number]

/** Why a sample that was there has no score. */
export const unscoredReasons = [
  'unreadable',
  'judge_failed',
  'no_right_answer',
  'live_no_answer',
] as const
export type UnscoredReason = (typeof unscoredReasons)[number]

const count = z.number().int()
/** Null where no sample could be scored. */
const mean = z.number().nullable()

export const verdictCheck = z.object({
  rule: z.enum(verdictRules),
  /** The least that passes; for `failures` and `chance` the most. */
  required: z.number(),
  /** Null where there was nothing to measure it on. */
  measured: z.number().nullable(),
  passed: z.boolean(),
  sentence: z.string(),
})
export type VerdictCheck = z.infer<typeof verdictCheck>

export const verdict = z.object({
  outcome: z.enum(verdictOutcomes),
  checks: z.array(verdictCheck),
  scored: count,
  unscored: z.array(z.object({ reason: z.enum(unscoredReasons), count })),
  /** Different ones among the scored samples; those of one question have one vote. */
  questions: count,
  /** Questions of whose samples more were better in both orders than worse. */
  wins: count,
  losses: count,
  ties: count,
  score: mean,
  live_score: mean,
  gain: mean,
  /** Of the gain, clustered by question; null below two of them. */
  standard_error: z.number().nullable(),
  /** The 90% interval of the gain. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
  /** The gain in pass rate that so many samples show four times of five; null where none would be, or nothing was decided. */
  smallest_gain_visible: z.number().nullable(),
  /** The how-manieth test on this set. */
  test_no: count,
  /** The chance that at least one test so far on this set would have called a model better that is equal to the live one. */
  chance_of_any: z.number(),
  /** The chance that such a model would go live by this test and the pipeline's policy. */
  chance_of_policy: z.number(),
  /** Samples that the new model did not answer, and those whose question is too long for it. Each is a loss. */
  silent: count,
  too_long: count,
  /** The share of the pairs on which the judge preferred otherwise once the answers had changed places; null without any. */
  order_flips: z.number().nullable(),
  /** The share of right answers that are the live version's own words, marked good as they were; 0 without any sample. */
  live_words_share: z.number(),
  /** Labels with at least ten scored samples. */
  by_tag: z.array(
    z.object({ tag: z.string(), scored: count, score: z.number(), live_score: z.number() }),
  ),
})
export type Verdict = z.infer<typeof verdict>

export const benchmarkScore = z.object({
  benchmark_id: z.uuid(),
  name: z.string(),
  /** Null where it was not measured. */
  score: z.number().nullable(),
  live_score: z.number().nullable(),
  scored: count,
  unscored: count,
  improved: z.boolean(),
  worse: z.boolean(),
  /** Versions that learned one of its conversations. */
  learned_by: z.array(count),
})
export type BenchmarkScore = z.infer<typeof benchmarkScore>
