// A verdict in sentences for the people who read it. Pure.
import type { UnscoredReason, Verdict, VerdictOutcome, VerdictRule } from '#contract/verdict.ts'
import { grouped } from '../../../lib/grouped.ts'
import { means, percent, points, roughPoints, samples } from './figures.ts'
import type { PassRates } from './pass-rates.ts'

export type VerdictFacts = {
  /** `the base model`, or `version 3`. */
  liveName: string
  judge: string
  /** Held-back samples that were gone, or could not be read, before the comparison. */
  missing: number
  /** Those that the money of the test did not cover. */
  leftOut: number
  /** By the promotion policy, for which the held-back test may be one measurement of several. */
  decided: VerdictOutcome
}

/** The headline goes on after the attempt's name, without a full stop. */
export type VerdictSentences = { headline: string; detail: string }

export function explainVerdict(
  verdict: Verdict,
  rates: PassRates,
  facts: VerdictFacts,
): VerdictSentences {
  const detail = [
    policySentence(verdict, facts),
    measuredSentence(verdict, rates, facts),
    fewQuestionsSentence(verdict),
    rangeSentence(verdict, facts),
    unansweredSentence(verdict),
    failedCheckSentence(verdict, facts),
    flippedSentence(verdict, facts),
    notCountedSentence(verdict, facts),
    visibleSentence(verdict, facts),
    manyTestsSentence(verdict),
    liveWordsSentence(verdict),
    tagSentence(verdict, facts),
  ]
  return {
    headline: headlines[facts.decided](facts.liveName),
    detail: detail.filter((sentence) => sentence !== null).join(' '),
  }
}

const headlines: Record<VerdictOutcome, (liveName: string) => string> = {
  better: (liveName) => `was better than ${liveName}`,
  not_better: (liveName) => `was not better than ${liveName}`,
  inconclusive: () => 'could not be decided by its test',
}

function policySentence({ outcome }: Verdict, { decided }: VerdictFacts): string | null {
  return outcome === decided ? null : `${byItself[outcome]}; ${asAWhole[decided]}.`
}

const byItself: Record<VerdictOutcome, string> = {
  better: 'It passed the held-back test',
  not_better: 'It did not pass the held-back test',
  inconclusive: 'The held-back test could not decide by itself',
}

const asAWhole: Record<VerdictOutcome, string> = {
  better: "the pipeline's promotion policy is met all the same",
  not_better: "the pipeline's promotion policy asks for more, and is not met",
  inconclusive: "the pipeline's promotion policy needs a benchmark that was not measured",
}

function measuredSentence(
  { scored, questions, wins, losses, ties }: Verdict,
  rates: PassRates,
  { liveName }: VerdictFacts,
): string {
  if (rates === null) return 'No held-back sample could be scored.'
  const compared =
    questions < scored
      ? `On the ${grouped(questions)} different questions among them its answer was better on ${some(wins)} and worse on ${some(losses)}`
      : `Its answer was better on ${some(wins)} of them and worse on ${some(losses)}`
  return (
    `It passed ${percent(rates.candidate)} of ${samples(scored)}, and ${liveName} ${percent(rates.live)}. ` +
    `${compared}; ${ties === 1 ? '1 was a tie' : `${some(ties)} were ties`}.`
  )
}

function some(count: number): string {
  return count === 0 ? 'none' : grouped(count)
}

function hasFewQuestions({ scored, questions }: Pick<Verdict, 'scored' | 'questions'>): boolean {
  return 2 * questions < scored
}

function fewQuestionsSentence(verdict: Verdict): string | null {
  if (!hasFewQuestions(verdict)) return null
  return 'Many samples ask the same; those of one question have one vote together.'
}

/** How sure a better one is. */
function rangeSentence({ gain, interval }: Verdict, { decided }: VerdictFacts): string | null {
  if (decided !== 'better' || gain === null || interval === null) return null
  const [low, high] = interval
  if (high - low < 0.001) return null
  const [changed, change] = low > 0 ? ['rose', 'rise'] : ['changed', 'change']
  return `Its score ${changed} by ${points(gain)}; the true ${change} is very likely between ${roughPoints(low)} and ${roughPoints(high)} points.`
}

/** The first that failed says why, in words and then with its numbers. */
function failedCheckSentence(verdict: Verdict, { decided }: VerdictFacts): string | null {
  const failed = verdict.checks.find(({ passed }) => !passed)
  // That nothing was scored is said already.
  if (!failed || verdict.scored === 0) return null
  const isCause = decided !== 'better' && !isUnanswered(verdict)
  return isCause ? `${reasons[failed.rule]} ${failed.sentence}` : failed.sentence
}

const reasons: Record<VerdictRule, string> = {
  scored: 'That is too little to decide on.',
  failures: 'Too many samples could not be scored to trust the others.',
  wins: 'Its answers were not better often enough.',
  gain: 'Its score did not rise enough.',
  chance: 'Its wins may be luck.',
}

function unansweredSentence({ silent, too_long: tooLong }: Verdict): string | null {
  const silence = silent > 0 ? `It gave no answer to ${samples(silent)}` : null
  const length = tooLong > 0 ? `the questions of ${samples(tooLong)} are too long for it` : null
  if (silence && length) return `${silence}, and ${length}; each counts as a loss.`
  if (silence) return `${silence}, and each counts as a loss.`
  return length && `${length.replace('the', 'The')}, and each counts as a loss.`
}

/** Whether that is why it was not better: it makes at least half of what was lost. */
function isUnanswered({ outcome, silent, too_long: tooLong, ...verdict }: Verdict): boolean {
  const { scored, questions, losses } = verdict
  const share = (silent + tooLong) / scored
  return outcome === 'not_better' && share > 0 && 2 * share >= losses / questions
}

const flipsMost = 0.3

function flippedSentence(
  { order_flips: flips }: Verdict,
  { judge, decided }: VerdictFacts,
): string | null {
  if (flips === null || flips < flipsMost) return null
  const other = decided === 'better' ? '' : '; another judge_model may tell more of them apart'
  return `The judge ${judge} contradicts itself: on ${percent(flips)} of the pairs it judged otherwise once the two answers had changed places. Such a pair is a tie${other}.`
}

function notCountedSentence(
  { unscored }: Verdict,
  { missing, leftOut }: VerdictFacts,
): string | null {
  const parts = unscored.map(({ reason, count }) => `${unscoredWords[reason]} (${grouped(count)})`)
  if (missing > 0) parts.push(`the sample was gone or could not be read (${grouped(missing)})`)
  if (leftOut > 0)
    parts.push(`the money for the test did not cover the sample (${grouped(leftOut)})`)
  return parts.length === 0 ? null : `Left out: ${parts.join(', ')}.`
}

const unscoredWords: Record<UnscoredReason, string> = {
  unreadable: "the judge's words could not be read as a verdict",
  judge_failed: 'the judge did not answer',
  no_right_answer: 'the judge had no right answer to compare with',
  live_no_answer: 'only the live model gave no answer',
}

/** Says nothing where the live model was clearly the better one: no larger test would have shown a gain. */
function visibleSentence(
  { scored, questions, interval, ...verdict }: Verdict,
  { decided }: VerdictFacts,
): string | null {
  if (verdict.outcome !== 'not_better' || decided === 'better') return null
  if (interval !== null && interval[1] < 0) return null
  const { smallest_gain_visible: visible } = verdict
  const few = hasFewQuestions({ scored, questions })
  const size = few ? `${samples(scored)} with so few questions` : samples(scored)
  if (visible !== null) {
    return `A test of ${size} mostly shows gains in pass rate from ${points(visible)} on; smaller ones can remain unseen.`
  }
  const reason = few ? '' : 'The live model passes so much that '
  return `${reason}${size} can hardly show a gain.`
}

function manyTestsSentence({ test_no: no, chance_of_any: chance }: Verdict): string | null {
  if (no < 2) return null
  return `This was test ${grouped(no)} on the same held-back samples: at least one of so many would call an equal model better in ${percent(chance)} of all cases.`
}

function liveWordsSentence({ live_words_share: share }: Verdict): string | null {
  if (share < 0.5) return null
  return `For ${percent(share)} of the samples the right answer is the live version's own words, so that it scores full marks there by itself; corrections make a fairer test.`
}

/** Smaller moves of a few samples say nothing. */
const tagChangeLeast = 0.05

/** A label that every sample has says nothing beside the whole. Where the whole is better, a label that fell comes first. */
function tagSentence({ by_tag, scored: all }: Verdict, { decided }: VerdictFacts): string | null {
  const changes = by_tag
    .filter(({ scored }) => scored < all)
    .map((tag) => ({ ...tag, change: tag.score - tag.live_score }))
    .filter(({ change }) => Math.abs(change) >= tagChangeLeast)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
  const fallen = decided === 'better' ? changes.find(({ change }) => change < 0) : undefined
  const most = fallen ?? changes[0]
  if (!most) return null
  const verb = most.change < 0 ? 'fell' : 'rose'
  const [before, after] = means(most.live_score, most.score)
  return `The score ${verb} most on ${most.tag}: from ${before} to ${after} on ${samples(most.scored)}.`
}
