// Where the characters of a page stand in its text. Almost all stand right behind the one before and are one wide, so
// only the others are noted.

export class Places {
  count = 0
  indexes = new Uint32Array(256)
  starts = new Uint32Array(256)
  ends = new Uint32Array(256)

  /** For a character behind all that were noted before. */
  note(index: number, start: number, end: number): void {
    const at = this.count++
    if (at === this.indexes.length) this.#grow()
    this.indexes[at] = index
    this.starts[at] = start
    this.ends[at] = end
  }

  /** Forgets the characters from this one on. */
  forget(index: number): void {
    while (this.count > 0 && this.indexes[this.count - 1]! >= index) this.count--
  }

  /** How many characters of the text one of the page was written with. */
  widthAt(index: number): number {
    const noted = this.#noted(index)
    return noted === -1 ? 1 : this.ends[noted]! - this.starts[noted]!
  }

  /** Where one that was noted stands in the text. */
  startAt(index: number): number {
    const noted = this.#noted(index)
    return noted === -1 ? -1 : this.starts[noted]!
  }

  /** -1 for one that was not noted. */
  #noted(index: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.indexes[middle]! < index) low = middle + 1
      else high = middle
    }
    return low < this.count && this.indexes[low] === index ? low : -1
  }

  #grow(): void {
    this.indexes = twice(this.indexes)
    this.starts = twice(this.starts)
    this.ends = twice(this.ends)
  }
}

function twice(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * list.length)
  larger.set(list)
  return larger
}

/** Tells places of characters that are asked for in the order in which they stand. */
export class PlaceReader {
  readonly #places: Places
  /** The first noted character behind the one that was asked for last. */
  #next = 0

  constructor(places: Places) {
    this.#places = places
  }

  startOf(index: number): number {
    const { indexes, starts, ends } = this.#places
    const last = this.#seek(index)
    if (last === -1) return index
    return indexes[last] === index ? starts[last]! : ends[last]! + index - indexes[last]! - 1
  }

  endOf(index: number): number {
    const last = this.#seek(index)
    if (last === -1) return index + 1
    return this.#places.ends[last]! + index - this.#places.indexes[last]!
  }

  /** The first noted character from this one on; Infinity when there is none. */
  nextFrom(index: number): number {
    this.#seek(index - 1)
    return this.#next < this.#places.count ? this.#places.indexes[this.#next]! : Infinity
  }

  /** Whether something unseen stood before this character, which sets it off from what is before. */
  gapBefore(index: number): boolean {
    const { indexes, starts, ends } = this.#places
    const last = this.#seek(index)
    if (index === 0 || last === -1 || indexes[last] !== index) return false
    const before = last === 0 ? index : ends[last - 1]! + index - indexes[last - 1]! - 1
    return starts[last]! > before
  }

  /** The last that was noted up to this one, or -1. */
  #seek(index: number): number {
    const { indexes, count } = this.#places
    while (this.#next < count && indexes[this.#next]! <= index) this.#next++
    return this.#next - 1
  }
}
