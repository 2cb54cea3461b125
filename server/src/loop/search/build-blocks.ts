// Builds the blocks of a segment from the texts of its samples: all places in all texts, sorted by their keys. A document's
// number is its place among the texts. Counting sort, since keys are short and texts are many.
import { type Blocks, BlockWriter } from './block.ts'
import { gramLength, pairOf, pairs, symbolBits, symbolOf, symbols, tails } from './gram.ts'

export function buildBlocks(texts: readonly string[]): Blocks {
  const { starts, ends, tailsOf, docsOf } = partition(texts)
  const writer = new BlockWriter()
  const docs = new Uint16Array(texts.length)
  let other = new Scratch(1024)
  for (let pair = 0; pair < pairs; pair++) {
    const from = starts[pair] as number
    const to = ends[pair] as number
    if (from === to) continue
    if (to - from > other.tails.length) other = new Scratch((to - from) * 2)
    const sorted = sortByTail(tailsOf.subarray(from, to), docsOf.subarray(from, to), other)
    writeEntries(writer, pair, sorted, docs)
  }
  return writer.end()
}

type Places = { tails: Uint32Array; docs: Uint16Array }

class Scratch implements Places {
  readonly tails: Uint32Array
  readonly docs: Uint16Array
  constructor(size: number) {
    this.tails = new Uint32Array(size)
    this.docs = new Uint16Array(size)
  }
}

/**
 * Every place in every text, by its first two units; within those, in the order of the documents. Texts repeat themselves, and
 * a place that is like the one before it under the same two units is left out at once.
 */
function partition(texts: readonly string[]): {
  starts: Uint32Array
  ends: Uint32Array
  tailsOf: Uint32Array
  docsOf: Uint16Array
} {
  const starts = new Uint32Array(pairs + 1)
  for (const text of texts) {
    let unit = text.charCodeAt(0)
    for (let at = 1; at < text.length; at++) {
      const next = text.charCodeAt(at)
      const slot = pairOf(unit, next) + 1
      starts[slot] = (starts[slot] as number) + 1
      unit = next
    }
  }
  for (let pair = 0; pair < pairs; pair++) {
    starts[pair + 1] = (starts[pair + 1] as number) + (starts[pair] as number)
  }
  const size = starts[pairs] as number
  const tailsOf = new Uint32Array(size)
  const docsOf = new Uint16Array(size)
  const ends = starts.slice(0, pairs)
  texts.forEach((text, doc) => {
    let tail = 0
    for (let i = 2; i < gramLength - 1; i++) tail = (tail << symbolBits) | symbolAt(text, i)
    let unit = text.charCodeAt(0)
    for (let at = 0; at + 1 < text.length; at++) {
      tail = ((tail << symbolBits) | symbolAt(text, at + gramLength - 1)) & (tails - 1)
      const next = text.charCodeAt(at + 1)
      const pair = pairOf(unit, next)
      unit = next
      const place = ends[pair] as number
      const repeats =
        place > (starts[pair] as number) && tailsOf[place - 1] === tail && docsOf[place - 1] === doc
      if (repeats) continue
      ends[pair] = place + 1
      tailsOf[place] = tail
      docsOf[place] = doc
    }
  })
  return { starts, ends, tailsOf, docsOf }
}

function symbolAt(text: string, at: number): number {
  return at < text.length ? symbolOf(text.charCodeAt(at)) : 0
}

/** Three rounds over the three symbols, last one first; equal ones keep their order, which is the documents'. */
function sortByTail(tailsOf: Uint32Array, docsOf: Uint16Array, scratch: Scratch): Places {
  let from: Places = { tails: tailsOf, docs: docsOf }
  const size = tailsOf.length
  if (size === 1) return from
  let to: Places = {
    tails: scratch.tails.subarray(0, size),
    docs: scratch.docs.subarray(0, size),
  }
  const places = new Uint32Array(symbols + 1)
  for (let round = 0; round < gramLength - 2; round++) {
    const shift = round * symbolBits
    places.fill(0)
    for (let i = 0; i < size; i++) {
      const digit = (((from.tails[i] as number) >>> shift) & (symbols - 1)) + 1
      places[digit] = (places[digit] as number) + 1
    }
    for (let digit = 0; digit < symbols; digit++) {
      places[digit + 1] = (places[digit + 1] as number) + (places[digit] as number)
    }
    for (let i = 0; i < size; i++) {
      const tail = from.tails[i] as number
      const digit = (tail >>> shift) & (symbols - 1)
      const place = places[digit] as number
      places[digit] = place + 1
      to.tails[place] = tail
      to.docs[place] = from.docs[i] as number
    }
    const swap = from
    from = to
    to = swap
  }
  return from
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
