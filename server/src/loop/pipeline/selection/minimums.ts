// How many samples an attempt needs, and how far a pipeline is from that.
import { heldBackRowsMin, trainingRowsMin } from '#contract/limits.ts'
import type { Minimums } from '#contract/pipeline.ts'
import { grouped } from '../../../lib/grouped.ts'

/** Spec 2, held-back test, rule 6: at least 100, or the share of them if that is more, rounded up. */
export function heldBackCount(usable: number, percent: number, least = heldBackRowsMin): number {
  return Math.max(least, Math.ceil((usable * percent) / 100))
}

/** The fewest samples that leave enough to train on once the held-back ones are taken away. */
export function firstNeed(percent: number): number {
  let need = trainingRowsMin + heldBackRowsMin
  while (need - heldBackCount(need, percent) < trainingRowsMin) need++
  return need
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
}

export type CountedFor = {
  heldBackPercent: number
  /** How many of them the last selection could not use; none of those was ever used or held back. */
  lastSkipped: number
  /** Whether a version is live. */
  hasVersion: boolean
}

export type Distance = Pick<Minimums, 'have' | 'need' | 'new_samples' | 'ready'>

/** Before the first version, what is held back counts too. Later, only what no version learned, once enough more is held back. */
export function distanceOf(counts: SampleCounts, of: CountedFor): Distance {
  const { heldBackPercent, lastSkipped, hasVersion } = of
  const usable = Math.max(0, counts.usable - lastSkipped)
  const unlearned = counts.unlearned - lastSkipped
  const toHoldBack = Math.max(0, heldBackCount(usable, heldBackPercent) - counts.heldBack)
  const have = hasVersion ? Math.max(0, unlearned - toHoldBack) : usable
  const need = hasVersion ? trainingRowsMin : firstNeed(heldBackPercent)
  const new_samples = Math.max(0, counts.unused - lastSkipped)
  return { have, need, new_samples, ready: have >= need }
}

export function minimumsOf(
  counts: SampleCounts & { unreviewed: number },
  of: CountedFor,
): Minimums {
  const distance = distanceOf(counts, of)
  const { have, need, ready } = distance
  const which = of.hasVersion ? 'new good or corrected samples' : 'good or corrected samples'
  return {
    ...distance,
    unreviewed: counts.unreviewed,
    reason: ready
      ? null
      : `${grouped(have)} of ${grouped(need)} ${which} are there, so ${missing(need - have)} needed.`,
  }
}

function missing(count: number): string {
  return `${grouped(count)} more ${count === 1 ? 'is' : 'are'}`
}
