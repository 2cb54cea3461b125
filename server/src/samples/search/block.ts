// Blocks of the index: entries in the order of their keys, each with the documents that hold the key, as the gaps between
// their numbers or, where that is shorter, as bits.
import { addDoc, type DocSet } from './doc-set.ts'
import type { KeyRange } from './gram.ts'

export type Block = { firstKey: number; entries: Uint8Array }

/** All blocks of a segment in one piece of memory: block `i` goes from `starts[i]` to `starts[i + 1]`. */
export type Blocks = {
  firstKeys: Float64Array<ArrayBuffer>
  starts: Uint32Array<ArrayBuffer>
  bytes: Uint8Array<ArrayBuffer>
}

/** Large enough that rows cost little beside what they hold, small enough that reading one entry reads little else. */
const blockBytes = 1000
const headBytesMax = 16

export class BlockWriter {
  readonly #firstKeys: number[] = []
  readonly #starts: number[] = []
  #bytes = new Uint8Array(64 * 1024)
  #at = 0
  #lastKey = 0

  /** Keys come in rising order, and so do the documents of each. */
  add(key: number, docs: Uint16Array, count: number): void {
    const last = docs[count - 1] as number
    const gapBytes = gapBytesOf(docs, count)
    const bitBytes = (last >>> 3) + 1
    const asBits = bitBytes < gapBytes
    const size = asBits ? bitBytes : gapBytes
    const start = this.#starts.at(-1)
    if (start === undefined || this.#at - start + size > blockBytes) {
      this.#firstKeys.push(key)
      this.#starts.push(this.#at)
      this.#lastKey = key
    }
    this.#makeRoom(size)
    this.#number(key - this.#lastKey)
    this.#number(size * 2 + (asBits ? 1 : 0))
    if (asBits) this.#bits(docs, count, size)
    else this.#gaps(docs, count)
    this.#lastKey = key
  }

  end(): Blocks {
    return {
      firstKeys: Float64Array.from(this.#firstKeys),
      starts: Uint32Array.from([...this.#starts, this.#at]),
      bytes: this.#bytes.slice(0, this.#at),
    }
  }

  #makeRoom(size: number): void {
    if (this.#at + size + headBytesMax <= this.#bytes.length) return
    const larger = new Uint8Array((this.#at + size + headBytesMax) * 2)
    larger.set(this.#bytes)
    this.#bytes = larger
  }

  /** Seven bits a byte, lowest first; keys have more bits than bit operators take. */
  #number(value: number): void {
    while (value >= 128) {
      this.#bytes[this.#at++] = (value % 128) + 128
      value = Math.floor(value / 128)
    }
    this.#bytes[this.#at++] = value
  }

  #gaps(docs: Uint16Array, count: number): void {
    let next = 0
    for (let i = 0; i < count; i++) {
      const doc = docs[i] as number
      this.#number(doc - next)
      next = doc + 1
    }
  }

  #bits(docs: Uint16Array, count: number, size: number): void {
    const start = this.#at
    this.#bytes.fill(0, start, start + size)
    for (let i = 0; i < count; i++) {
      const doc = docs[i] as number
      const at = start + (doc >>> 3)
      this.#bytes[at] = (this.#bytes[at] as number) | (1 << (doc & 7))
    }
    this.#at = start + size
  }
}

function gapBytesOf(docs: Uint16Array, count: number): number {
  let bytes = count
  let next = 0
  for (let i = 0; i < count; i++) {
    const doc = docs[i] as number
    if (doc - next >= 128) bytes += doc - next >= 16_384 ? 2 : 1
    next = doc + 1
  }
  return bytes
}

/** Adds the documents of every key in the range that this block holds. */
export function addFromBlock({ firstKey, entries }: Block, range: KeyRange, to: DocSet): void {
  let at = 0
  let key = firstKey
  const number = (): number => {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = entries[at++] as number
      if (byte < 128) return value + byte * scale
      value += (byte - 128) * scale
      scale *= 128
    }
  }
  while (at < entries.length) {
    key += number()
    const head = number()
    const end = at + Math.floor(head / 2)
    if (key >= range.to) return
    if (key < range.from) {
      at = end
    } else if (head % 2 === 1) {
      for (let byte = 0; at < end; byte++) addByte(to, byte, entries[at++] as number)
    } else {
      for (let next = 0; at < end; next++) {
        next += number()
        addDoc(to, next)
      }
    }
  }
}

function addByte(set: DocSet, byte: number, bits: number): void {
  set[byte >>> 2] = (set[byte >>> 2] as number) | (bits << ((byte & 3) * 8))
}
