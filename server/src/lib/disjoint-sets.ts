// Numbers in sets that only ever join.
export class DisjointSets {
  readonly #parents: Uint32Array

  constructor(count: number) {
    this.#parents = Uint32Array.from({ length: count }, (_, number) => number)
  }

  /** The same for all numbers of a set. */
  of(number: number): number {
    const parents = this.#parents
    let at = number
    while (parents[at] !== at) at = parents[at] = parents[parents[at]!]!
    return at
  }

  join(a: number, b: number): void {
    this.#parents[this.of(a)] = this.of(b)
  }
}
