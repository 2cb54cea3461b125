// Looks for stop strings in text that arrives in pieces. Text that might be the beginning of one is held
// back until that is decided, so a stop string never leaks, whole or in part.
export class StopScanner {
  readonly #stops: string[]
  #held = ''

  constructor(stops: string[]) {
    this.#stops = stops.filter((stop) => stop !== '')
  }

  /** The text that is certain to be wanted, and the stop string that ended it, if one did. */
  push(text: string): { text: string; stop: string | null } {
    const seen = this.#held + text
    const found = this.#earliest(seen)
    if (found) {
      this.#held = ''
      return { text: seen.slice(0, found.index), stop: found.stop }
    }
    const held = this.#heldLength(seen)
    this.#held = held === 0 ? '' : seen.slice(-held)
    return { text: seen.slice(0, seen.length - held), stop: null }
  }

  /** What was held back and turned out not to be a stop string. */
  end(): string {
    const held = this.#held
    this.#held = ''
    return held
  }

  #earliest(text: string): { index: number; stop: string } | null {
    let earliest: { index: number; stop: string } | null = null
    for (const stop of this.#stops) {
      const index = text.indexOf(stop)
      if (index !== -1 && (earliest === null || index < earliest.index)) earliest = { index, stop }
    }
    return earliest
  }

  /** Length of the longest end of `text` that a stop string begins with. */
  #heldLength(text: string): number {
    let longest = 0
    for (const stop of this.#stops) {
      for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
        if (text.endsWith(stop.slice(0, length))) longest = length
      }
    }
    return longest
  }
}
