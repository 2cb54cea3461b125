// The places in the pieces of a segment, one group after another. Texts repeat themselves, the more the longer they are: a
// place that is like an earlier one of the same group is mostly left out here, before anything is sorted.
import { gramLength, pairOf, symbolBits, symbolOf, tails } from './gram.ts'
import type { Group } from './group-pieces.ts'

/** Of each place its first two units and the three that follow. */
export type CollectedPlaces = {
  count: number
  pairsOf: Uint32Array
  tailsOf: Uint32Array
  /** Where the places of each group end. */
  ends: Uint32Array
}

/** How many places are remembered: so few that they stay in the cache of a processor. One that was forgotten is collected again. */
const slotBits = 14
/** So many groups have names of their own among what is remembered. */
const nameBits = 14

export function collectPlaces(groups: readonly Group[]): CollectedPlaces {
  const room = roomFor(groups)
  const units = new Uint16Array(room.units)
  const bytes = Buffer.from(units.buffer)
  const remembered = new Uint32Array(2 << slotBits)
  const all: CollectedPlaces = {
    count: 0,
    pairsOf: new Uint32Array(room.places),
    tailsOf: new Uint32Array(room.places),
    ends: new Uint32Array(groups.length),
  }
  groups.forEach(({ pieces }, group) => {
    const name = group % (1 << nameBits)
    if (name === 0) remembered.fill(0)
    for (const { text, places } of pieces) {
      bytes.write(text, 'utf16le')
      addPlaces(units.subarray(0, text.length), places, name, remembered, all)
    }
    all.ends[group] = all.count
  })
  return all
}

function roomFor(groups: readonly Group[]): { units: number; places: number } {
  const room = { units: 0, places: 0 }
  for (const { pieces } of groups) {
    for (const { text, places } of pieces) {
      room.units = Math.max(room.units, text.length)
      room.places += places
    }
  }
  return room
}

/** In a slot stand the pair and the group's name, then the tail. Empty ones are like a place that no text has: it would be NUL. */
function addPlaces(
  units: Uint16Array,
  places: number,
  group: number,
  remembered: Uint32Array,
  all: CollectedPlaces,
): void {
  const { pairsOf, tailsOf } = all
  let { count } = all
  let tail = 0
  for (let at = 2; at < gramLength - 1; at++) tail = (tail << symbolBits) | symbolAt(units, at)
  let unit = units[0] as number
  for (let at = 1; at <= places; at++) {
    tail = ((tail << symbolBits) | symbolAt(units, at + gramLength - 2)) & (tails - 1)
    const next = units[at] as number
    const pair = pairOf(unit, next)
    unit = next
    const slot = slotOf(pair, tail)
    const name = ((pair << nameBits) | group) >>> 0
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
