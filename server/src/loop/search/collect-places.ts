// The places in the texts of a segment, one document after another. Texts repeat themselves, the more the longer they are: a
// place that is like an earlier one of the same text is mostly left out here, before anything is sorted.
import { gramLength, pairOf, symbolBits, symbolOf, tails } from './gram.ts'

/** Of each place its first two units and the three that follow. */
export type CollectedPlaces = {
  count: number
  pairsOf: Uint32Array
  tailsOf: Uint32Array
  /** Where the places of each document end. */
  ends: Uint32Array
}

/** How many places are remembered: so few that they stay in the cache of a processor. One that was forgotten is collected again. */
const slotBits = 14
/** Documents of a segment have numbers below that. */
const docBits = 14
const placesAtFirst = 1 << 16

export function collectPlaces(texts: readonly string[]): CollectedPlaces {
  const units = new Uint16Array(texts.reduce((most, text) => Math.max(most, text.length), 0))
  const bytes = Buffer.from(units.buffer)
  const remembered = new Uint32Array(2 << slotBits)
  let all: CollectedPlaces = {
    count: 0,
    pairsOf: new Uint32Array(placesAtFirst),
    tailsOf: new Uint32Array(placesAtFirst),
    ends: new Uint32Array(texts.length),
  }
  texts.forEach((text, doc) => {
    bytes.write(text, 'utf16le')
    all = withRoom(all, text.length)
    addPlaces(units.subarray(0, text.length), doc, remembered, all)
    all.ends[doc] = all.count
  })
  return all
}

function withRoom(all: CollectedPlaces, more: number): CollectedPlaces {
  const size = all.count + more
  if (size <= all.pairsOf.length) return all
  return { ...all, pairsOf: grown(all.pairsOf, size * 2), tailsOf: grown(all.tailsOf, size * 2) }
}

function grown(numbers: Uint32Array, size: number): Uint32Array {
  const larger = new Uint32Array(size)
  larger.set(numbers)
  return larger
}

/** In a slot stand the pair and the document, then the tail. Empty ones are like a place that no text has: it would be NUL. */
function addPlaces(
  units: Uint16Array,
  doc: number,
  remembered: Uint32Array,
  all: CollectedPlaces,
): void {
  const { pairsOf, tailsOf } = all
  let { count } = all
  let tail = 0
  for (let at = 2; at < gramLength - 1; at++) tail = (tail << symbolBits) | symbolAt(units, at)
  let unit = units[0] as number
  for (let at = 1; at < units.length; at++) {
    tail = ((tail << symbolBits) | symbolAt(units, at + gramLength - 2)) & (tails - 1)
    const next = units[at] as number
    const pair = pairOf(unit, next)
    unit = next
    const slot = slotOf(pair, tail)
    const name = ((pair << docBits) | doc) >>> 0
    if (remembered[slot] === name && remembered[slot + 1] === tail) continue
    remembered[slot] = name
    remembered[slot + 1] = tail
    pairsOf[count] = pair
    tailsOf[count] = tail
    count += 1
  }
  all.count = count
}

function symbolAt(units: Uint16Array, at: number): number {
  return at < units.length ? symbolOf(units[at] as number) : 0
}

function slotOf(pair: number, tail: number): number {
  const mixed = Math.imul(Math.imul(pair, 0x9e3779b1) + tail, 0x85ebca6b)
  return (mixed >>> (32 - slotBits)) * 2
}
