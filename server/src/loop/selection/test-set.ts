// What the next test of a pipeline asks, as far as its cost goes: the longest held back, and how long they are.
import { type SampleSizes, meanSizes } from '../test/judge/test-sizes.ts'
import { scoredLeast } from '../test/verdict/verdict-of-counts.ts'
import { type HeldBack, sides } from './hold-back.ts'
import { idBytes } from './packed-ids.ts'

/** Spec 2, held-back test, rule 6. */
export const testedMax = 1500

/** A selected row: since when it is held back, and its sizes. */
export type HoldableRow = { heldAt: Date | null; sizes: SampleSizes }

export type TestSet = {
  samples: number
  /** The mean of all of them. */
  sizes: SampleSizes
  /** The mean of the first ones, of the fewest that decide a test: these must be paid for. */
  firstSizes: SampleSizes
}

/** Null where nothing is held back. */
export function testSetOf(
  { ids }: { ids: Buffer },
  held: Pick<HeldBack, 'sides'>,
  rows: readonly HoldableRow[],
): TestSet | null {
  const idOf = (row: number): Buffer => ids.subarray(row * idBytes, (row + 1) * idBytes)
  const heldMs = (row: number): number => rows[row]!.heldAt?.getTime() ?? Number.MAX_VALUE
  const tested = [...rows.keys()]
    .filter((row) => held.sides[row] === sides.heldBack)
    .sort((a, b) => heldMs(a) - heldMs(b) || idOf(a).compare(idOf(b)))
    .slice(0, testedMax)
    .map((row) => rows[row]!.sizes)
  if (tested.length === 0) return null
  return {
    samples: tested.length,
    sizes: meanSizes(tested),
    firstSizes: meanSizes(tested.slice(0, scoredLeast)),
  }
}
