// How many samples an attempt needs, and how far a pipeline is from that.
import { heldBackRowsMin, trainingRowsMin } from '#contract/limits.ts'
import type { Minimums } from '#contract/pipeline.ts'
import { grouped } from '../../lib/grouped.ts'
import type { Shortfall } from '../pipeline/pipeline.ts'

/** Spec 2, held-back test, rule 6: at least 100, or the share of them if that is more, rounded up. */
export function heldBackCount(usable: number, percent: number, least = heldBackRowsMin): number {
  return Math.max(least, Math.ceil((usable * percent) / 100))
}

/** The fewest rows that an attempt needs. */
export type RowsMin = { trainingMin: number; heldBackMin: number }
const rowsMin: RowsMin = { trainingMin: trainingRowsMin, heldBackMin: heldBackRowsMin }

/** The fewest samples that leave enough to train on once the held-back ones are taken away. */
export function firstNeed(percent: number, { trainingMin, heldBackMin } = rowsMin): number {
  let need = trainingMin + heldBackMin
  while (need - heldBackCount(need, percent, heldBackMin) < trainingMin) need++
  return need
}

/** With a live version, only what no version has learned counts as rows to train on. */
export function lackingOf(
  {
    trainRows,
    unlearnedRows,
    holdoutRows,
  }: Record<'trainRows' | 'unlearnedRows' | 'holdoutRows', number>,
  hasVersion: boolean,
  { trainingMin, heldBackMin } = rowsMin,
): Pick<Shortfall, 'samples' | 'held_back'> {
  const held_back = Math.max(0, heldBackMin - holdoutRows)
  const samples = Math.max(0, trainingMin - (hasVersion ? unlearnedRows : trainRows)) + held_back
  return { samples, held_back }
}

/** Good and corrected samples, and what a pipeline has done with them. */
export type SampleCounts = {
  /** Held-back ones included. */
  usable: number
  heldBack: number
  /** Of the others, those that no version has learned, or that were corrected since. */
  unlearned: number
  /** Of the others, those that no attempt has used, or that were corrected since. */
  unused: number
  /** Of those that were not held back, how many came since a selection lacked some. */
  arrived: number
}

export type CountedFor = {
  heldBackPercent: number
  /** How many of them the last selection could not use; none of those was ever used or held back. */
  lastSkipped: number
  /** What it lacked. */
  shortfall: Shortfall | null
  /** Whether a version is live. */
  hasVersion: boolean
}

export function countedFor(
  row: { held_back_percent: number; last_skipped: number; shortfall: Shortfall | null },
  liveVersion: number | null,
): CountedFor {
  return {
    heldBackPercent: row.held_back_percent,
    lastSkipped: row.last_skipped,
    shortfall: row.shortfall,
    hasVersion: liveVersion !== null,
  }
}

export type Distance = Pick<Minimums, 'have' | 'need' | 'new_samples' | 'ready'>

/**
 * Before the first version, what is held back counts too. Later, only what no version learned, once enough more is held back. Counts know
 * no questions, so as many samples must come as the last selection lacked.
 */
export function distanceOf(counts: SampleCounts, of: CountedFor, least = rowsMin): Distance {
  const { heldBackPercent, lastSkipped, hasVersion } = of
  const usable = usableOf(counts, of)
  const unlearned = counts.unlearned - lastSkipped
  const wanted = heldBackCount(usable, heldBackPercent, least.heldBackMin)
  const toHoldBack = Math.max(0, wanted - counts.heldBack)
  const have = hasVersion ? Math.max(0, unlearned - toHoldBack) : usable
  const usual = hasVersion ? least.trainingMin : firstNeed(heldBackPercent, least)
  const need = needWith(lackingNow(counts, have, of), { have, usual })
  const new_samples = Math.max(0, counts.unused - lastSkipped)
  return { have, need, new_samples, ready: have >= need }
}

/** `usual` is what is needed where nothing lacks beyond that. */
export function needWith(lacking: number, { have, usual }: Record<'have' | 'usual', number>) {
  return lacking === 0 ? usual : Math.max(usual, have + lacking)
}

function usableOf({ usable }: SampleCounts, { lastSkipped }: CountedFor): number {
  return Math.max(0, usable - lastSkipped)
}

/** Others may have gone since, and what was selected anew, such as by another tag, may be older. */
function lackingNow({ arrived }: SampleCounts, have: number, { shortfall }: CountedFor): number {
  if (shortfall === null) return 0
  return Math.max(0, shortfall.samples - Math.max(arrived, have - shortfall.have))
}

export function minimumsOf(
  counts: SampleCounts & { unreviewed: number },
  of: CountedFor,
): Minimums {
  const distance = distanceOf(counts, of)
  const { have, need, ready } = distance
  const which = of.hasVersion ? 'new good or corrected samples' : 'good or corrected samples'
  const why = shortfallSentence(counts, of)
  return {
    ...distance,
    unreviewed: counts.unreviewed,
    reason: ready
      ? null
      : `${grouped(have)} of ${grouped(need)} ${which} are there, so ${missing(need - have)} needed.${why}`,
  }
}

/** Why more than the usual number is needed, as another sentence; empty where it is not. */
export function shortfallSentence(counts: SampleCounts, of: CountedFor): string {
  const { shortfall, hasVersion, heldBackPercent } = of
  const { have, need } = distanceOf(counts, of)
  if (shortfall === null || lackingNow(counts, have, of) === 0) return ''
  if (shortfall.held_back > 0) {
    // A pipeline with so few samples lacks all kinds of them.
    if (usableOf(counts, of) < heldBackRowsMin) return ''
    return ` Only ${grouped(heldBackRowsMin - shortfall.held_back)} of the ${heldBackRowsMin} samples for its test can be held back, because there are too few other questions: no version may have learned them, and people or imports must have said the right answer.`
  }
  const usual = hasVersion ? trainingRowsMin : firstNeed(heldBackPercent)
  if (need === usual) return ''
  return ` All samples of a question are held back together, which left ${grouped(shortfall.samples)} too few to train on.`
}

function missing(count: number): string {
  return `${grouped(count)} more ${count === 1 ? 'is' : 'are'}`
}
