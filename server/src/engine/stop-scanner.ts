// Looks for stop strings in text that arrives in pieces. Text that might be the beginning of one is held
// back until that is decided, so a stop string never leaks, whole or in part. However long the strings are and however the
// text is cut, it takes a time that grows with the text alone, and the string that is complete first counts.
export class StopScanner {
  readonly #stops: StopMatch[]
  readonly #held = new HeldText()

  constructor(stops: string[]) {
    this.#stops = stops.filter((stop) => stop !== '').map((stop) => new StopMatch(stop))
  }

  /** The text that is certain to be wanted, and the stop string that ended it, if one did. */
  push(text: string): { text: string; stop: string | null } {
    const heldBefore = this.#held.length
    this.#held.add(text)
    for (let at = 0; at < text.length; at++) {
      const stop = this.#advance(text.charCodeAt(at))
      if (stop === null) continue
      const wanted = this.#held.take(heldBefore + at + 1 - stop.length)
      this.end()
      return { text: wanted, stop }
    }
    let longest = 0
    for (const { matched } of this.#stops) longest = Math.max(longest, matched)
    return { text: this.#held.take(this.#held.length - longest), stop: null }
  }

  /** What was held back and turned out not to be a stop string; the next text begins anew. */
  end(): string {
    for (const stop of this.#stops) stop.matched = 0
    return this.#held.take(this.#held.length)
  }

  /** Of those that end with this character, the longest, so that nothing of it is shown. */
  #advance(code: number): string | null {
    let met: string | null = null
    for (const match of this.#stops) {
      if (match.advance(code) && match.stop.length > (met?.length ?? 0)) met = match.stop
    }
    return met
  }
}

/** How much of one stop string the text ends with, after Knuth, Morris and Pratt. */
class StopMatch {
  readonly stop: string
  matched = 0
  /** For each length of its beginning, the longest shorter beginning that this ends with, as far as that was asked for. */
  readonly #borders = [0, 0]

  constructor(stop: string) {
    this.stop = stop
  }

  /** True when it is complete. */
  advance(code: number): boolean {
    const { stop } = this
    while (this.matched > 0 && stop.charCodeAt(this.matched) !== code) {
      this.matched = this.#border(this.matched)
    }
    if (stop.charCodeAt(this.matched) === code) this.matched += 1
    return this.matched === stop.length
  }

  #border(length: number): number {
    const { stop } = this
    const borders = this.#borders
    while (borders.length <= length) {
      const code = stop.charCodeAt(borders.length - 1)
      let border = borders[borders.length - 1]!
      while (border > 0 && stop.charCodeAt(border) !== code) border = borders[border]!
      borders.push(stop.charCodeAt(border) === code ? border + 1 : 0)
    }
    return borders[length]!
  }
}

/** Text that is added at its end and taken from its beginning, without being copied in between. */
class HeldText {
  length = 0
  #pieces: string[] = []
  #first = 0

  add(text: string): void {
    if (text === '') return
    this.#pieces.push(text)
    this.length += text.length
  }

  take(length: number): string {
    const taken: string[] = []
    let left = length
    while (left > 0) {
      const piece = this.#pieces[this.#first]!
      if (piece.length > left) {
        taken.push(piece.slice(0, left))
        this.#pieces[this.#first] = piece.slice(left)
        break
      }
      taken.push(piece)
      left -= piece.length
      this.#first += 1
    }
    this.length -= length
    if (this.#first * 2 > this.#pieces.length) {
      this.#pieces = this.#pieces.slice(this.#first)
      this.#first = 0
    }
    return taken.length === 1 ? taken[0]! : taken.join('')
  }
}
