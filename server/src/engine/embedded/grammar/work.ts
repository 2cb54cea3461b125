// How much work one answer may make of its grammar. Alternatives side by side can be so many that a single token takes seconds,
// in which nobody else's answer goes on. Work is counted and not timed, so that the same schema fares the same everywhere.

/**
 * What an answer may spend at once, and what each of its tokens adds, in walks over all tokens of the vocabulary: with a small one,
 * about half a second in all, and some milliseconds a token.
 */
const walksAtOnce = 500
const walksPerToken = 4
/** Of a very small vocabulary, what does not depend on its size would seem large. */
const walkMin = 10_000

export class Work {
  readonly #refusal: () => Error
  readonly #walk: number
  #left: number

  /** One unit is one byte tried; `walk` is how many a walk over the vocabulary tries at most. */
  constructor(walk: number, refusal: () => Error) {
    this.#refusal = refusal
    this.#walk = Math.max(walk, walkMin)
    this.#left = walksAtOnce * this.#walk
  }

  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw this.#refusal()
  }

  addToken(): void {
    this.#left = Math.min(walksAtOnce * this.#walk, this.#left + walksPerToken * this.#walk)
  }
}
