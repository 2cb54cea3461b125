// Builds the blocks of a segment from the texts of its samples: all places in all texts, sorted by their keys. A document's
// number is its place among the texts. Counting sort, since keys are short and texts are many.
import { type Blocks, BlockWriter } from './block.ts'
import { type CollectedPlaces, collectPlaces } from './collect-places.ts'
import { pairs, tails } from './gram.ts'

export function buildBlocks(texts: readonly string[]): Blocks {
  const { starts, tailsOf, docsOf } = partition(collectPlaces(texts))
  const writer = new BlockWriter()
  const docs = new Uint16Array(texts.length)
  let other = new Scratch(1024)
  const counters = new Uint32Array(digitsMax)
  for (let pair = 0; pair < pairs; pair++) {
    const from = starts[pair] as number
    const to = starts[pair + 1] as number
    if (from === to) continue
    if (to - from > other.tails.length) other = new Scratch((to - from) * 2)
    const sorted = sortByTail(
      tailsOf.subarray(from, to),
      docsOf.subarray(from, to),
      other,
      counters,
    )
    writeEntries(writer, pair, sorted, docs)
  }
  return writer.end()
}

const tailBits = Math.log2(tails)
/** From here on fewer rounds with more digits cost less. */
const manyPlaces = 4096
const digitsMax = 1 << (tailBits / 2)

type Places = { tails: Uint32Array; docs: Uint16Array }

class Scratch implements Places {
  readonly tails: Uint32Array
  readonly docs: Uint16Array
  constructor(size: number) {
    this.tails = new Uint32Array(size)
    this.docs = new Uint16Array(size)
  }
}

/** By their first two units; within those, in the order of the documents. */
function partition({ count, pairsOf, tailsOf, ends }: CollectedPlaces): {
  starts: Uint32Array
  tailsOf: Uint32Array
  docsOf: Uint16Array
} {
  const starts = new Uint32Array(pairs + 1)
  for (let at = 0; at < count; at++) {
    const slot = (pairsOf[at] as number) + 1
    starts[slot] = (starts[slot] as number) + 1
  }
  for (let pair = 0; pair < pairs; pair++) {
    starts[pair + 1] = (starts[pair + 1] as number) + (starts[pair] as number)
  }
  const next = starts.slice(0, pairs)
  const tails = new Uint32Array(count)
  const docs = new Uint16Array(count)
  let at = 0
  for (let doc = 0; doc < ends.length; doc++) {
    for (const end = ends[doc] as number; at < end; at++) {
      const pair = pairsOf[at] as number
      const place = next[pair] as number
      next[pair] = place + 1
      tails[place] = tailsOf[at] as number
      docs[place] = doc
    }
  }
  return { starts, tailsOf: tails, docsOf: docs }
}

/** Round by round, lowest bits first; equal ones keep their order, which is the documents'. */
function sortByTail(
  tailsOf: Uint32Array,
  docsOf: Uint16Array,
  scratch: Scratch,
  counters: Uint32Array,
): Places {
  let from: Places = { tails: tailsOf, docs: docsOf }
  const size = tailsOf.length
  if (size === 1) return from
  let to: Places = {
    tails: scratch.tails.subarray(0, size),
    docs: scratch.docs.subarray(0, size),
  }
  const bits = size < manyPlaces ? tailBits / 3 : tailBits / 2
  for (let shift = 0; shift < tailBits; shift += bits) {
    sortRound(from, to, shift, counters.subarray(0, 1 << bits))
    const swap = from
    from = to
    to = swap
  }
  return from
}

function sortRound(from: Places, to: Places, shift: number, places: Uint32Array): void {
  const mask = places.length - 1
  const { tails, docs } = from
  const { tails: toTails, docs: toDocs } = to
  places.fill(0)
  for (let i = 0; i < tails.length; i++) {
    const digit = ((tails[i] as number) >>> shift) & mask
    places[digit] = (places[digit] as number) + 1
  }
  let before = 0
  for (let digit = 0; digit <= mask; digit++) {
    const count = places[digit] as number
    places[digit] = before
    before += count
  }
  for (let i = 0; i < tails.length; i++) {
    const tail = tails[i] as number
    const digit = (tail >>> shift) & mask
    const place = places[digit] as number
    places[digit] = place + 1
    toTails[place] = tail
    toDocs[place] = docs[i] as number
  }
}

function writeEntries(writer: BlockWriter, pair: number, places: Places, docs: Uint16Array): void {
  const size = places.tails.length
  for (let at = 0; at < size;) {
    const tail = places.tails[at] as number
    let count = 0
    let last = -1
    for (; at < size && places.tails[at] === tail; at++) {
      const doc = places.docs[at] as number
      if (doc !== last) docs[count++] = last = doc
    }
    writer.add(pair * tails + tail, docs, count)
  }
}
