// Builds the blocks of a segment from the texts of its samples: all places in all texts, sorted by their keys. A document's
// number is its place among the texts. Counting sort, since keys are short and texts are many.
import { type Blocks, BlockWriter } from './block.ts'
import { type CollectedPlaces, collectPlaces } from './collect-places.ts'
import { pairs, tails } from './gram.ts'
import { type Group, groupPieces } from './group-pieces.ts'
import { JoinedDocs } from './joined-docs.ts'

export function buildBlocks(texts: readonly string[]): Blocks {
  const groups = groupPieces(texts)
  const { starts, tailsOf, groupsOf } = partition(collectPlaces(groups))
  const entries = new Entries(texts.length, groups)
  let other = new Scratch(1024)
  const counters = new Uint32Array(digitsMax)
  for (let pair = 0; pair < pairs; pair++) {
    const from = starts[pair] as number
    const to = starts[pair + 1] as number
    if (from === to) continue
    if (to - from > other.tails.length) other = new Scratch((to - from) * 2)
    const sorted = sortByTail(
      tailsOf.subarray(from, to),
      groupsOf.subarray(from, to),
      other,
      counters,
    )
    entries.write(pair, sorted)
  }
  return entries.end()
}

const tailBits = Math.log2(tails)
/** From here on fewer rounds with more digits cost less. */
const manyPlaces = 4096
const digitsMax = 1 << (tailBits / 2)

type Places = { tails: Uint32Array; groups: Uint16Array }

class Scratch implements Places {
  readonly tails: Uint32Array
  readonly groups: Uint16Array
  constructor(size: number) {
    this.tails = new Uint32Array(size)
    this.groups = new Uint16Array(size)
  }
}

/** By their first two units; within those, in the order of the groups. */
function partition({ count, pairsOf, tailsOf, ends }: CollectedPlaces): {
  starts: Uint32Array
  tailsOf: Uint32Array
  groupsOf: Uint16Array
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
  const groups = new Uint16Array(count)
  let at = 0
  for (let group = 0; group < ends.length; group++) {
    for (const end = ends[group] as number; at < end; at++) {
      const pair = pairsOf[at] as number
      const place = next[pair] as number
      next[pair] = place + 1
      tails[place] = tailsOf[at] as number
      groups[place] = group
    }
  }
  return { starts, tailsOf: tails, groupsOf: groups }
}

/** Round by round, lowest bits first; equal ones keep their order, which is the groups'. */
function sortByTail(
  tailsOf: Uint32Array,
  groupsOf: Uint16Array,
  scratch: Scratch,
  counters: Uint32Array,
): Places {
  let from: Places = { tails: tailsOf, groups: groupsOf }
  const size = tailsOf.length
  if (size === 1) return from
  let to: Places = {
    tails: scratch.tails.subarray(0, size),
    groups: scratch.groups.subarray(0, size),
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
  const { tails, groups } = from
  const { tails: toTails, groups: toGroups } = to
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
    toGroups[place] = groups[i] as number
  }
}

class Entries {
  readonly #writer = new BlockWriter()
  readonly #documents: number
  readonly #groups: Uint16Array
  readonly #joined: JoinedDocs

  constructor(documents: number, groups: readonly Group[]) {
    this.#documents = documents
    this.#groups = new Uint16Array(groups.length)
    this.#joined = new JoinedDocs(documents, groups)
  }

  write(pair: number, places: Places): void {
    const groups = this.#groups
    const size = places.tails.length
    for (let at = 0; at < size;) {
      const tail = places.tails[at] as number
      let count = 0
      let last = -1
      for (; at < size && places.tails[at] === tail; at++) {
        const group = places.groups[at] as number
        if (group !== last) groups[count++] = last = group
      }
      const key = pair * tails + tail
      // A document's own group has its number, and comes before those that several share.
      if (last < this.#documents) this.#writer.add(key, groups, count)
      else this.#writer.add(key, this.#joined.docs, this.#joined.join(groups, count))
    }
  }

  end(): Blocks {
    return this.#writer.end()
  }
}
