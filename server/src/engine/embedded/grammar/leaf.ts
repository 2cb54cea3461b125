// The part of a grammar that eats bytes: a small deterministic automaton whose states are values.
export interface Leaf {
  /** Leaves with equal keys behave the same from here on. */
  readonly key: string
  /** Whether what was eaten so far is complete. */
  readonly accepting: boolean
  /** Fewest bytes that still have to come; a completion of exactly this length exists. Infinity: none does. */
  readonly minBytes: number
  /** Set where no byte can follow, which spares the matcher from keeping such leaves. */
  readonly spent?: boolean
  next(byte: number): Leaf | null
  /** How much work a byte is, where it is more than a comparison or two. */
  readonly work?: number
  /** One completion of that length, from leaves whose text is mostly fixed: tokens cover it in few steps. */
  completion?(): Uint8Array
  /** A leaf that allows the same next `bytes` bytes, so that many leaves can share one token mask. */
  window?(bytes: number): Leaf
}

export const ascii = (character: string): number => character.charCodeAt(0)

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
