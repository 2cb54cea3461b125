// The keys of each row, as numbers: the rows of a conversation share most of theirs, and a number is smaller.
import type { QuestionKeys } from './question-keys.ts'

export const keyKinds = ['prompt', 'full', 'prefix'] as const
export type KeyKind = (typeof keyKinds)[number]

/** `prompt` is the number of the prompt of the row that has the key. */
type Visit = (key: number, kind: KeyKind, prompt: number) => void

export class KeyedRows {
  readonly #numbers = new Map<string, number>()
  /** Number and kind in one, row after row; the first of each row is its prompt. */
  readonly #keys: number[] = []
  readonly #starts: number[] = []

  add(keys: QuestionKeys): void {
    this.#starts.push(this.#keys.length)
    this.#push(keys.prompt, 'prompt')
    for (const key of keys.full) this.#push(key, 'full')
    for (const key of keys.prefix) this.#push(key, 'prefix')
  }

  /** A key that is not there yet gets the next number. */
  numberOf(key: string): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#numbers.size)
    return this.#numbers.size - 1
  }

  /** In the order of their numbers. */
  all(): string[] {
    return [...this.#numbers.keys()]
  }

  promptOf(row: number): number {
    return numberIn(this.#keys[this.#starts[row]!]!)
  }

  visit(each: Visit): void {
    for (let row = 0; row < this.#starts.length; row++) this.visitRow(row, each)
  }

  visitRow(row: number, each: Visit): void {
    const [start, end = this.#keys.length] = [this.#starts[row]!, this.#starts[row + 1]]
    const prompt = this.promptOf(row)
    for (let at = start; at < end; at++) {
      const key = this.#keys[at]!
      each(numberIn(key), keyKinds[key % keyKinds.length]!, prompt)
    }
  }

  #push(key: string, kind: KeyKind): void {
    this.#keys.push(this.numberOf(key) * keyKinds.length + keyKinds.indexOf(kind))
  }
}

function numberIn(key: number): number {
  return Math.floor(key / keyKinds.length)
}
