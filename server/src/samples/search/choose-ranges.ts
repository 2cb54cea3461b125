// Which of the keys of a long text are looked up: reading all of them in every segment would cost more than the few
// candidates that they spare.
import { countCommon, countDocs, type DocSet, keepCommon } from './doc-set.ts'
import type { KeyRange } from './gram.ts'

const probedMax = 48
const chosenMax = 8
/** So many candidates too many in a full segment cost less than looking up another key in all of them. */
const slack = 2

/** Spread evenly over the text. */
export function rangesToProbe(ranges: readonly KeyRange[]): KeyRange[] {
  if (ranges.length <= probedMax) return [...ranges]
  const step = (ranges.length - 1) / (probedMax - 1)
  return Array.from({ length: probedMax }, (_, i) => ranges[Math.round(i * step)] as KeyRange)
}

/**
 * The places of as few as leave, in the segment that was probed, about as little as all of them do; each is the one that
 * leaves least together with those before it.
 */
export function chooseRanges(sets: readonly DocSet[], commonToAll: number): number[] {
  const chosen: number[] = []
  let left: DocSet | null = null
  while (chosen.length < Math.min(chosenMax, sets.length)) {
    let best = { place: 0, count: Number.POSITIVE_INFINITY }
    for (const [place, set] of sets.entries()) {
      if (chosen.includes(place)) continue
      const count: number = left ? countCommon(left, set) : countDocs(set)
      if (count < best.count) best = { place, count }
    }
    chosen.push(best.place)
    const set = sets[best.place] as DocSet
    if (left) keepCommon(left, set)
    else left = set.slice()
    if (best.count <= commonToAll + slack) break
  }
  return chosen
}
