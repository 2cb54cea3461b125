// Which stored prefixes a request can read: those that end at a breakpoint or a little before it. Prefixes are named
// by their length in blocks.
import type { Breakpoint } from './place-breakpoints.ts'

/** Spec 1, caching rule 13. */
const lookBackBlocks = 20

/** Longest first, each once. */
export function lookBack(breakpoints: readonly Breakpoint[]): number[] {
  const lengths = new Set<number>()
  for (const { blockIndex } of breakpoints) {
    const longest = blockIndex + 1
    for (let length = longest; length >= Math.max(1, longest - lookBackBlocks); length--) {
      lengths.add(length)
    }
  }
  return [...lengths].sort((a, b) => b - a)
}
