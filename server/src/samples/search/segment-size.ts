// How large a segment of the index may be, and which of them are of one size: as many as `mergeFactor` of a size become one
// of the next, so that a sample is indexed a few times in its life however many come.

/** So that the bits of one key fit into a row of PostgreSQL without being moved out of it. */
export const documentsMax = 15_360
/** What is sorted at once; conversations differ in length by far more than a thousand times. */
export const charactersMax = 12_000_000
const mergeFactor = 8

export type SegmentSize = { samples: number; characters: number }

/** The part of a full segment that this is. */
function fillOf(size: SegmentSize): number {
  return Math.max(size.samples / documentsMax, size.characters / charactersMax)
}

/** 0 for those that are large enough to stay as they are. */
function sizeClass(size: SegmentSize): number {
  const fill = fillOf(size)
  let sizeClass = 0
  for (let bound = 1 / mergeFactor; fill <= bound && sizeClass < classesMax; bound /= mergeFactor) {
    sizeClass += 1
  }
  return sizeClass
}

const classesMax = 6

/** The first group of neighbours that are to become one, of the smallest class first; null when all is well. */
export function planMerge<S extends SegmentSize>(segments: readonly S[]): S[] | null {
  for (let wanted = classesMax; wanted > 0; wanted--) {
    const ofClass = segments.filter((segment) => sizeClass(segment) === wanted)
    if (ofClass.length >= mergeFactor) return ofClass.slice(0, mergeFactor)
  }
  return null
}
