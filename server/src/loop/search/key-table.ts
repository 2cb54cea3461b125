// The keys of a segment that is being built, each with a number of its own and the document that held it last. A hash table in
// one piece of memory: everything about a key lies side by side, since reaching for it is what takes the time.
import { tails } from './gram.ts'

/** Pair, tail, number and last document; the last two plus one, so that 0 says that the place is free. */
const fields = 4
const firstPlaces = 1 << 14

export class KeyTable {
  #places = firstPlaces
  #entries = new Uint32Array(firstPlaces * fields)
  #size = 0

  /** How many keys there are; their numbers are 0 and up. */
  get size(): number {
    return this.#size
  }

  /** The number of the key, or -1 if this document was noted with it last. */
  note(pair: number, tail: number, doc: number): number {
    const entries = this.#entries
    const at = this.#find(pair, tail)
    const known = entries[at + 2] as number
    if (known !== 0) {
      if (entries[at + 3] === doc + 1) return -1
      entries[at + 3] = doc + 1
      return known - 1
    }
    const id = this.#size++
    entries[at] = pair
    entries[at + 1] = tail
    entries[at + 2] = id + 1
    entries[at + 3] = doc + 1
    if (this.#size * 2 > this.#places) this.#grow()
    return id
  }

  idOf(pair: number, tail: number): number {
    return (this.#entries[this.#find(pair, tail) + 2] as number) - 1
  }

  sortedKeys(): Float64Array {
    const keys = new Float64Array(this.#size)
    const entries = this.#entries
    for (let at = 0; at < entries.length; at += fields) {
      const id = entries[at + 2] as number
      if (id !== 0) keys[id - 1] = (entries[at] as number) * tails + (entries[at + 1] as number)
    }
    return keys.sort()
  }

  /** Where the key is, or where it would be. */
  #find(pair: number, tail: number): number {
    const entries = this.#entries
    const mask = this.#places - 1
    let hash = Math.imul(pair, 0x9e3779b1) ^ Math.imul(tail, 0x85ebca6b)
    hash ^= hash >>> 15
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const at = place * fields
      if (entries[at + 2] === 0 || (entries[at] === pair && entries[at + 1] === tail)) return at
    }
  }

  #grow(): void {
    const old = this.#entries
    this.#places *= 4
    this.#entries = new Uint32Array(this.#places * fields)
    for (let at = 0; at < old.length; at += fields) {
      if (old[at + 2] === 0) continue
      const place = this.#find(old[at] as number, old[at + 1] as number)
      this.#entries.set(old.subarray(at, at + fields), place)
    }
  }
}
