// Builds the blocks of a segment from the texts of its samples: which documents hold each key, in the order of the keys. A
// document's number is its place among the texts. Texts repeat themselves and each other far more than not, so places are
// gathered under their keys first, and only the keys are sorted.
import { type Blocks, BlockWriter } from './block.ts'
import { gramLength, pairOf, symbolBits, symbolOf, tails } from './gram.ts'
import { KeyTable } from './key-table.ts'

export function buildBlocks(texts: readonly string[]): Blocks {
  const { table, held, heldUntil } = gather(texts)
  const { starts, docs } = listDocs(table.size, held, heldUntil)
  const writer = new BlockWriter()
  for (const key of table.sortedKeys()) {
    const id = table.idOf(Math.floor(key / tails), key % tails)
    const from = starts[id] as number
    const to = starts[id + 1] as number
    writer.add(key, docs.subarray(from, to), to - from)
  }
  return writer.end()
}

/** The ids of the keys that each document holds, each once: those of document `i` end at `heldUntil[i]`. */
type Gathered = { table: KeyTable; held: Uint32Array; heldUntil: Uint32Array }

function gather(texts: readonly string[]): Gathered {
  const table = new KeyTable()
  const heldUntil = new Uint32Array(texts.length)
  let held = new Uint32Array(64 * 1024)
  let count = 0
  texts.forEach((text, doc) => {
    if (count + text.length > held.length) held = enlarged(held, count + text.length)
    let tail = 0
    for (let i = 2; i < gramLength - 1; i++) tail = (tail << symbolBits) | symbolAt(text, i)
    let unit = text.charCodeAt(0)
    for (let at = 0; at + 1 < text.length; at++) {
      const next = text.charCodeAt(at + 1)
      tail = ((tail << symbolBits) | symbolAt(text, at + gramLength - 1)) & (tails - 1)
      const id = table.note(pairOf(unit, next), tail, doc)
      if (id >= 0) held[count++] = id
      unit = next
    }
    heldUntil[doc] = count
  })
  return { table, held, heldUntil }
}

function enlarged(list: Uint32Array, wanted: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(wanted * 2)
  larger.set(list)
  return larger
}

function symbolAt(text: string, at: number): number {
  return at < text.length ? symbolOf(text.charCodeAt(at)) : 0
}

/** The documents of each key, those of id `i` from `starts[i]` on; in rising order, as the documents were gone through. */
function listDocs(
  keys: number,
  held: Uint32Array,
  heldUntil: Uint32Array,
): { starts: Uint32Array; docs: Uint16Array } {
  const size = heldUntil.at(-1) ?? 0
  const starts = new Uint32Array(keys + 1)
  for (let i = 0; i < size; i++) {
    const id = held[i] as number
    starts[id + 1] = (starts[id + 1] as number) + 1
  }
  for (let id = 0; id < keys; id++) {
    starts[id + 1] = (starts[id + 1] as number) + (starts[id] as number)
  }
  const next = starts.slice(0, keys)
  const docs = new Uint16Array(size)
  let i = 0
  heldUntil.forEach((until, doc) => {
    for (; i < until; i++) {
      const id = held[i] as number
      const place = next[id] as number
      next[id] = place + 1
      docs[place] = doc
    }
  })
  return { starts, docs }
}
