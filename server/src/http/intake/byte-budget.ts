// How many bytes of bodies the calls in flight may hold together, and how many of them one owner, so that nobody can keep
// everybody else out.
export class ByteBudget {
  readonly #max: number
  readonly #ownerMax: number
  #taken = 0
  readonly #byOwner = new Map<string, number>()

  constructor(max: number, ownerMax: number) {
    this.#max = max
    this.#ownerMax = ownerMax
  }

  get taken(): number {
    return this.#taken
  }

  share(owner: string): BudgetShare {
    return new BudgetShare(this, owner)
  }

  take(owner: string, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes
    if (this.#taken + bytes > this.#max || own > this.#ownerMax) return false
    this.#taken += bytes
    this.#byOwner.set(owner, own)
    return true
  }

  giveBack(owner: string, bytes: number): void {
    this.#taken -= bytes
    const left = (this.#byOwner.get(owner) ?? 0) - bytes
    if (left > 0) this.#byOwner.set(owner, left)
    else this.#byOwner.delete(owner)
  }
}

/** What one body holds of the budget; given back whole, once. */
export class BudgetShare {
  readonly #budget: ByteBudget
  readonly #owner: string
  #bytes = 0
  #over = false

  constructor(budget: ByteBudget, owner: string) {
    this.#budget = budget
    this.#owner = owner
  }

  get bytes(): number {
    return this.#bytes
  }

  /** False when the budget has no room for it, and nothing was taken. */
  growTo(bytes: number): boolean {
    if (this.#over || bytes <= this.#bytes) return true
    if (!this.#budget.take(this.#owner, bytes - this.#bytes)) return false
    this.#bytes = bytes
    return true
  }

  giveBack(): void {
    this.#over = true
    this.#budget.giveBack(this.#owner, this.#bytes)
    this.#bytes = 0
  }
}
