// One of a fixed set of texts, written as their bytes: punctuation, property names, enum values. A place in them
// is the run of sorted texts that begin with what was written, so that ten thousand cost no more than their bytes.
import type { Leaf } from './leaf.ts'

const encoder = new TextEncoder()
/** Short texts give their leaf its name, so that the same texts are the same leaf wherever they stand. */
const namedCharactersMax = 64
let made = 0

export function literalLeaf(...texts: string[]): Leaf {
  const spelled = JSON.stringify(texts)
  const name = spelled.length > namedCharactersMax ? `literal${made++}` : `literal${spelled}`
  const sorted = [...new Set(texts)]
    .map((text) => encoder.encode(text))
    .sort((a, b) => Buffer.compare(a, b))
  return new LiteralLeaf({ name, texts: sorted }, 0, sorted.length, 0)
}

type Texts = { name: string; texts: readonly Uint8Array[] }

class LiteralLeaf implements Leaf {
  readonly key: string
  readonly accepting: boolean
  readonly minBytes: number
  readonly spent: boolean
  readonly #of: Texts
  readonly #from: number
  readonly #to: number
  readonly #written: number
  /** The shortest; the first of equals, so that the tail of a completion is a completion too. */
  readonly #nearest: Uint8Array | undefined

  /** The texts from one place up to another share their first `written` bytes. */
  constructor(of: Texts, from: number, to: number, written: number) {
    this.#of = of
    this.#from = from
    this.#to = to
    this.#written = written
    let nearest: Uint8Array | undefined
    for (let place = from; place < to; place++) {
      const text = of.texts[place]!
      if (!nearest || text.length < nearest.length) nearest = text
    }
    this.#nearest = nearest
    this.key = `${of.name}.${from}.${to}.${written}`
    this.minBytes = nearest ? nearest.length - written : Infinity
    this.accepting = this.minBytes === 0
    this.spent = this.accepting && to - from === 1
  }

  next(byte: number): Leaf | null {
    const from = this.#firstFrom(byte)
    const to = this.#firstFrom(byte + 1)
    return from === to ? null : new LiteralLeaf(this.#of, from, to, this.#written + 1)
  }

  completion(): Uint8Array {
    return this.#nearest?.subarray(this.#written) ?? new Uint8Array()
  }

  /** The first text whose next byte is this one or a higher; a text that ends here comes before all. */
  #firstFrom(byte: number): number {
    const { texts } = this.#of
    let [low, high] = [this.#from, this.#to]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((texts[middle]![this.#written] ?? -1) < byte) low = middle + 1
      else high = middle
    }
    return low
  }
}
