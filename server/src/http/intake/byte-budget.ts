// How many bytes of bodies the calls in flight may hold together.
export class ByteBudget {
  readonly #max: number
  #taken = 0

  constructor(max: number) {
    this.#max = max
  }

  get taken(): number {
    return this.#taken
  }

  share(): BudgetShare {
    return new BudgetShare(this)
  }

  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#max) return false
    this.#taken += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes
  }
}

/** What one body holds of the budget; given back whole, once. */
export class BudgetShare {
  readonly #budget: ByteBudget
  #bytes = 0
  #over = false

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  get bytes(): number {
    return this.#bytes
  }

  /** False when the budget has no room for it, and nothing was taken. */
  growTo(bytes: number): boolean {
    if (this.#over || bytes <= this.#bytes) return true
    if (!this.#budget.take(bytes - this.#bytes)) return false
    this.#bytes = bytes
    return true
  }

  giveBack(): void {
    this.#over = true
    this.#budget.giveBack(this.#bytes)
    this.#bytes = 0
  }
}
