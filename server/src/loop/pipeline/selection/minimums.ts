// How many samples an attempt needs, and how far a pipeline is from that.
import { heldBackRowsMin, trainingRowsMin } from '#contract/limits.ts'
import type { Minimums } from '#contract/pipeline.ts'
import { grouped } from '../../../lib/grouped.ts'

/** Spec 2, held-back test, rule 6: at least 100, or the share of them if that is more, rounded up. */
export function heldBackCount(usable: number, percent: number): number {
  return Math.max(heldBackRowsMin, Math.ceil((usable * percent) / 100))
}

/** The fewest samples that leave enough to train on once the held-back ones are taken away. */
export function firstNeed(percent: number): number {
  let need = trainingRowsMin + heldBackRowsMin
  while (need - heldBackCount(need, percent) < trainingRowsMin) need++
  return need
}

/** Before the first version. */
export function minimumsOf(counts: {
  usable: number
  unreviewed: number
  heldBackPercent: number
}): Minimums {
  const have = counts.usable
  const need = firstNeed(counts.heldBackPercent)
  const ready = have >= need
  return {
    have,
    need,
    new_samples: have,
    unreviewed: counts.unreviewed,
    ready,
    reason: ready
      ? null
      : `${grouped(have)} of ${grouped(need)} good or corrected samples are there, so ${missing(need - have)} needed.`,
  }
}

function missing(count: number): string {
  return `${grouped(count)} more ${count === 1 ? 'is' : 'are'}`
}
