// Sets of the documents of one segment, by their numbers, as bits.
import { documentsMax } from './segment-size.ts'

export type DocSet = Uint32Array

export function emptySet(): DocSet {
  return new Uint32Array(documentsMax / 32)
}

export function addDoc(set: DocSet, doc: number): void {
  set[doc >>> 5] = (set[doc >>> 5] as number) | (1 << (doc & 31))
}

/** Leaves in `set` what both hold. */
export function keepCommon(set: DocSet, other: DocSet): void {
  for (let i = 0; i < set.length; i++) set[i] = (set[i] as number) & (other[i] as number)
}

export function countDocs(set: DocSet): number {
  let count = 0
  for (const word of set) count += countBits(word)
  return count
}

/** How many both hold. */
export function countCommon(set: DocSet, other: DocSet): number {
  let count = 0
  for (let i = 0; i < set.length; i++) count += countBits((set[i] as number) & (other[i] as number))
  return count
}

function countBits(word: number): number {
  word -= (word >>> 1) & 0x55555555
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Highest numbers first, which are the newest samples. */
export function docsOf(set: DocSet): number[] {
  const docs: number[] = []
  for (let i = set.length - 1; i >= 0; i--) {
    let word = set[i] as number
    while (word !== 0) {
      const bit = 31 - Math.clz32(word)
      docs.push(i * 32 + bit)
      word = (word & ~(1 << bit)) >>> 0
    }
  }
  return docs
}
