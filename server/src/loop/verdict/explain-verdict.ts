// A verdict in sentences for the people who read it. Pure.
import type { UnscoredReason, Verdict, VerdictRule } from '#contract/verdict.ts'
import { grouped } from '../../lib/grouped.ts'
import { figure, percent, points, samples } from './figures.ts'
import type { PassRates } from './pass-rates.ts'

export type VerdictFacts = {
  /** `the base model`, or `version 3`. */
  liveName: string
  /** Held-back samples that were gone, or could not be read, before the comparison. */
  missing: number
}

/** The headline goes on after the attempt's name, without a full stop. */
export type VerdictSentences = { headline: string; detail: string; next: string | null }

export function explainVerdict(
  verdict: Verdict,
  rates: PassRates,
  facts: VerdictFacts,
): VerdictSentences {
  const detail = [
    measuredSentence(verdict, rates, facts),
    failedCheckSentence(verdict),
    notCountedSentence(verdict, facts),
    verdict.outcome === 'not_better' ? visibleSentence(verdict) : null,
    liveWordsSentence(verdict),
    tagSentence(verdict),
  ]
  return {
    headline: headlines[verdict.outcome](facts.liveName),
    detail: detail.filter((sentence) => sentence !== null).join(' '),
    next: nexts[verdict.outcome],
  }
}

const headlines: Record<Verdict['outcome'], (liveName: string) => string> = {
  better: (liveName) => `was better than ${liveName}`,
  not_better: (liveName) => `was not better than ${liveName}`,
  inconclusive: () => 'could not be decided by its test',
}

const nexts: Record<Verdict['outcome'], string | null> = {
  better: null,
  not_better: 'Its samples go to the next attempt.',
  inconclusive: 'Approve it with force, or press train now.',
}

function measuredSentence(
  { scored, wins, losses, ties }: Verdict,
  rates: PassRates,
  { liveName }: VerdictFacts,
): string {
  if (rates === null) return 'No held-back sample could be scored.'
  return (
    `It passed ${percent(rates.candidate)} of ${samples(scored)}, and ${liveName} ${percent(rates.incumbent)}. ` +
    `Its answer was better on ${grouped(wins)} of them and worse on ${grouped(losses)}; ${ties === 1 ? '1 was a tie' : `${grouped(ties)} were ties`}.`
  )
}

/** The first that failed says why, in words and then with its numbers. */
function failedCheckSentence({ checks }: Verdict): string | null {
  const failed = checks.find(({ passed }) => !passed)
  return failed ? `${reasons[failed.rule]} ${failed.sentence}` : null
}

const reasons: Record<VerdictRule, string> = {
  scored: 'That is too little to decide on.',
  failures: 'Too many samples could not be scored to trust the others.',
  wins: 'Its answers were not better often enough.',
  gain: 'Its score did not rise enough.',
  chance: 'Its wins may be luck.',
}

function notCountedSentence({ unscored }: Verdict, { missing }: VerdictFacts): string | null {
  const parts = unscored.map(({ reason, count }) => `${unscoredWords[reason]} (${grouped(count)})`)
  if (missing > 0) parts.push(`the sample was gone or could not be read (${grouped(missing)})`)
  return parts.length === 0 ? null : `Left out: ${parts.join(', ')}.`
}

const unscoredWords: Record<UnscoredReason, string> = {
  unreadable: "the judge's words could not be read as a verdict",
  judge_failed: 'the judge did not answer',
  no_right_answer: 'the judge had no right answer to compare with',
  live_no_answer: 'only the live model gave no answer',
}

function visibleSentence({ scored, smallest_gain_visible: visible }: Verdict): string {
  return visible === null
    ? `The live model passes so much that ${samples(scored)} can hardly show a gain.`
    : `A test of ${samples(scored)} mostly shows gains in pass rate from ${points(visible)} on; smaller ones can remain unseen.`
}

function liveWordsSentence({ live_words_share: share }: Verdict): string | null {
  if (share < 0.5) return null
  return `For ${percent(share)} of the samples the right answer is the live version's own words, so that it scores full marks there by itself; corrections make a fairer test.`
}

/** Smaller moves of a few samples say nothing. */
const tagChangeLeast = 0.05

/** A label that every sample has says nothing beside the whole. */
function tagSentence({ by_tag, scored: all }: Verdict): string | null {
  const changes = by_tag
    .filter(({ scored }) => scored < all)
    .map((tag) => ({ ...tag, change: tag.score - tag.live_score }))
    .filter(({ change }) => Math.abs(change) >= tagChangeLeast)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
  const most = changes[0]
  if (!most) return null
  const verb = most.change < 0 ? 'fell' : 'rose'
  return `The score ${verb} most on ${most.tag}: from ${figure(most.live_score)} to ${figure(most.score)} on ${samples(most.scored)}.`
}
