// Rows of token ids in two buffers, because hundreds of thousands of small arrays would take several times the memory.

/** One row; −100 is the label of a token that is not to be learned. */
export type TokenRow = { inputIds: ArrayLike<number>; labels: ArrayLike<number> }

const tokensAtFirst = 65_536

export class TokenRows {
  #ids = new Int32Array(tokensAtFirst)
  #labels = new Int32Array(tokensAtFirst)
  /** Where each row begins, and the last one ends. */
  readonly #starts: number[] = [0]

  get count(): number {
    return this.#starts.length - 1
  }

  lengthOf(row: number): number {
    return this.#starts[row + 1]! - this.#starts[row]!
  }

  /** A view of the row, valid until the next one is added. */
  at(row: number): TokenRow {
    const [start, end] = [this.#starts[row]!, this.#starts[row + 1]!]
    return { inputIds: this.#ids.subarray(start, end), labels: this.#labels.subarray(start, end) }
  }

  add({ inputIds, labels }: TokenRow): void {
    const start = this.#starts.at(-1)!
    const end = start + inputIds.length
    if (end > this.#ids.length) this.#grow(Math.max(end, 2 * this.#ids.length))
    this.#ids.set(inputIds, start)
    this.#labels.set(labels, start)
    this.#starts.push(end)
  }

  #grow(length: number): void {
    const [ids, labels] = [new Int32Array(length), new Int32Array(length)]
    ids.set(this.#ids)
    labels.set(this.#labels)
    this.#ids = ids
    this.#labels = labels
  }
}

/** Labels that are predicted: the first token has nothing before it to be predicted from. */
export function labelCount({ labels }: TokenRow): number {
  let count = 0
  for (let t = 1; t < labels.length; t++) if (labels[t]! >= 0) count++
  return count
}
