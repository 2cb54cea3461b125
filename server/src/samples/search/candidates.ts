// What the index says about a text: the documents of a segment that may hold it.
import { addFromBlock } from './block.ts'
import { chooseRanges, rangesToProbe } from './choose-ranges.ts'
import { type DocSet, docsOf, emptySet, keepCommon } from './doc-set.ts'
import { type KeyRange, rangesOf } from './gram.ts'
import { readBlocks, type SearchedSegment } from './search-store.ts'
import type { Snapshot } from './snapshot.ts'

export type IndexLookup = {
  /** How many candidates the segment has that was looked at first. */
  probed: number
  /** The candidates of each of the segments, highest number first. */
  in(segments: readonly SearchedSegment[]): Promise<number[][]>
}

/** Looks at a full segment first, to learn which of the text's keys are rare in this workspace. */
export async function lookUp(
  snapshot: Snapshot,
  sought: string,
  probe: SearchedSegment,
): Promise<IndexLookup> {
  const probed = rangesToProbe(rangesOf(sought))
  const [sets = []] = await readSets(snapshot, [probe], probed)
  const ofProbe = commonDocs(sets)
  const chosen = chooseRanges(sets, ofProbe.length).map((place) => probed[place] as KeyRange)
  return {
    probed: ofProbe.length,
    async in(segments) {
      const others = segments.filter((segment) => segment.id !== probe.id)
      const found = new Map([[probe.id, ofProbe]])
      if (others.length > 0) {
        const setsOf = await readSets(snapshot, others, chosen)
        others.forEach((segment, i) => found.set(segment.id, commonDocs(setsOf[i] ?? [])))
      }
      return segments.map((segment) => found.get(segment.id) ?? [])
    },
  }
}

/** For each segment, the documents of each range. */
async function readSets(
  snapshot: Snapshot,
  segments: readonly SearchedSegment[],
  ranges: readonly KeyRange[],
): Promise<DocSet[][]> {
  const sets = segments.map(() => ranges.map(emptySet))
  for (const { segment, range, block } of await readBlocks(snapshot, segments, ranges)) {
    addFromBlock(block, ranges[range] as KeyRange, sets[segment]?.[range] as DocSet)
  }
  return sets
}

function commonDocs([first, ...others]: readonly DocSet[]): number[] {
  if (!first) return []
  const common = first.slice()
  for (const other of others) keepCommon(common, other)
  return docsOf(common)
}
