// Keys and values of prompts seen before, so that a prompt with the same beginning is computed from there on.
// Entries are apart by owner (workspace and adapter): what one sends can never be felt by another.
import type { KvState } from '../llama/forward.ts'

export type PrefixEntry = {
  owner: string
  /** The tokens whose state this is; a running answer's entry covers its prompt only. */
  tokens: readonly number[]
  state: KvState
}

type Kept = { entry: PrefixEntry; usedAt: number }

/** Below this, copying a state costs more care than computing it again costs time. */
const reusedMin = 16

export class PrefixCache {
  readonly #bytesMax: number
  /** By owner, the least recently used entry first. */
  readonly #owners = new Map<string, Kept[]>()
  #uses = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    let sum = 0
    for (const kept of this.#owners.values()) sum += bytesOf(kept)
    return sum
  }

  /** A copy of the longest state that `prompt` begins with; at least the last token is left to compute. */
  find(owner: string, prompt: readonly number[]): KvState | null {
    let best: PrefixEntry | null = null
    let longest = reusedMin - 1
    for (const { entry } of this.#owners.get(owner) ?? []) {
      const length = Math.min(sharedLength(entry.tokens, prompt), prompt.length - 1)
      if (length > longest) [best, longest] = [entry, length]
    }
    if (!best) return null
    this.#touch(best)
    return best.state.copy(longest)
  }

  /** Keeps a state, unless it is covered already; entries that it covers are dropped. */
  add(entry: PrefixEntry): void {
    if (entry.tokens.length < reusedMin) return
    const kept = this.#owners.get(entry.owner) ?? []
    const covering = kept.find((other) => isPrefix(entry.tokens, other.entry.tokens))
    if (covering) return this.#touch(covering.entry)
    for (const other of kept)
      if (isPrefix(other.entry.tokens, entry.tokens)) this.remove(other.entry)
    this.#touch(entry)
    this.#shrink(entry.owner)
  }

  remove(entry: PrefixEntry): void {
    const left = this.#owners.get(entry.owner)?.filter((kept) => kept.entry !== entry) ?? []
    if (left.length > 0) this.#owners.set(entry.owner, left)
    else this.#owners.delete(entry.owner)
  }

  /** Puts an entry where the most recently used one stands. */
  #touch(entry: PrefixEntry): void {
    this.remove(entry)
    const others = this.#owners.get(entry.owner) ?? []
    this.#owners.set(entry.owner, [...others, { entry, usedAt: this.#uses++ }])
  }

  /** An owner with more than half of everything pushes out its own; else the least recently used goes. */
  #shrink(owner: string): void {
    let bytes = this.bytes
    while (bytes > this.#bytesMax) {
      const own = this.#owners.get(owner) ?? []
      const oldest = bytesOf(own) > this.#bytesMax / 2 ? own[0] : this.#oldest()
      if (!oldest) return
      bytes -= oldest.entry.state.bytes
      this.remove(oldest.entry)
    }
  }

  #oldest(): Kept | undefined {
    let oldest: Kept | undefined
    for (const [first] of this.#owners.values()) {
      if (first && (!oldest || first.usedAt < oldest.usedAt)) oldest = first
    }
    return oldest
  }
}

function bytesOf(kept: readonly Kept[]): number {
  return kept.reduce((sum, { entry }) => sum + entry.state.bytes, 0)
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

function isPrefix(prefix: readonly number[], tokens: readonly number[]): boolean {
  return prefix.length <= tokens.length && sharedLength(prefix, tokens) === prefix.length
}
