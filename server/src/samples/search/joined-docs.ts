// The documents that have a key, of the groups that have it.
import type { Group } from './group-pieces.ts'

/** From so many numbers to one document on, sorting costs less than looking at all of them. */
const farApart = 64

export class JoinedDocs {
  readonly #groups: readonly Group[]
  readonly #marked: Uint8Array
  /** What was joined last, in rising order, as far as `join` says. */
  readonly docs: Uint16Array

  constructor(documents: number, groups: readonly Group[]) {
    this.#groups = groups
    this.#marked = new Uint8Array(documents)
    this.docs = new Uint16Array(documents)
  }

  /**
   * How many documents the first `count` of these groups have. They are in rising order: first the documents' own, at last one or
   * more that several share.
   */
  join(groups: Uint16Array, count: number): number {
    const { docs } = this
    let joined = 0
    for (; (groups[joined] as number) < docs.length; joined++) {
      const doc = groups[joined] as number
      docs[joined] = doc
      this.#marked[doc] = 1
    }
    let first = joined === 0 ? docs.length : (docs[0] as number)
    let last = joined === 0 ? 0 : (docs[joined - 1] as number)
    for (let at = joined; at < count; at++) {
      const { docs: more } = this.#groups[groups[at] as number] as Group
      first = Math.min(first, more[0] as number)
      last = Math.max(last, more[more.length - 1] as number)
      joined = this.#add(more, joined)
    }
    if (count > 1 && joined * farApart < last - first) docs.subarray(0, joined).sort()
    else if (count > 1) this.#listMarked(first, last)
    for (let at = 0; at < joined; at++) this.#marked[docs[at] as number] = 0
    return joined
  }

  #add(more: Uint16Array, joined: number): number {
    const marked = this.#marked
    for (let at = 0; at < more.length; at++) {
      const doc = more[at] as number
      if (marked[doc] === 1) continue
      marked[doc] = 1
      this.docs[joined++] = doc
    }
    return joined
  }

  #listMarked(first: number, last: number): void {
    const marked = this.#marked
    let at = 0
    for (let doc = first; doc <= last; doc++) if (marked[doc] === 1) this.docs[at++] = doc
  }
}
