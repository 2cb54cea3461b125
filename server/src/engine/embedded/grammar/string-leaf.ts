// A JSON string with its quotes, as valid UTF-8, between `min` and `max` characters long. Surrogate escapes
// are left out, so that every escape is one character; models write such characters as they are.
import { ascii } from './leaf.ts'
import type { Leaf } from './leaf.ts'

export function stringLeaf(min = 0, max = Infinity): Leaf {
  return new StringLeaf('open', min, min > max ? -1 : max)
}

const quote = ascii('"')
const backslash = ascii('\\')
const simpleEscapes = new Set([...'"\\/bfnrt'].map(ascii))

// What may follow the first byte of a character: [lowest, highest] of the second byte, then how many more.
function utf8Lead(byte: number): [low: number, high: number, more: number] | null {
  if (byte >= 0xc2 && byte <= 0xdf) return [0x80, 0xbf, 0]
  if (byte === 0xe0) return [0xa0, 0xbf, 1]
  if (byte === 0xed) return [0x80, 0x9f, 1]
  if (byte >= 0xe1 && byte <= 0xef) return [0x80, 0xbf, 1]
  if (byte === 0xf0) return [0x90, 0xbf, 2]
  if (byte >= 0xf1 && byte <= 0xf3) return [0x80, 0xbf, 2]
  if (byte === 0xf4) return [0x80, 0x8f, 2]
  return null
}

type Phase =
  | 'open'
  | 'body'
  | 'escape'
  | 'done'
  | `hex${string}` // the hexadecimal digits written so far
  | `utf8 ${number} ${number} ${number}` // bounds of the next byte, and how many follow it

class StringLeaf implements Leaf {
  readonly key: string
  readonly accepting: boolean
  readonly minBytes: number
  readonly spent: boolean
  readonly #phase: Phase
  readonly #min: number
  readonly #max: number

  constructor(phase: Phase, min: number, max: number) {
    this.#phase = phase
    this.#min = Math.max(0, min)
    this.#max = max
    this.key = `string.${phase}.${this.#min}.${max}`
    this.accepting = phase === 'done'
    this.spent = this.accepting
    this.minBytes = max < 0 ? Infinity : minBytes(phase, this.#min)
  }

  next(byte: number): Leaf | null {
    const phase = this.#phase
    if (phase === 'open') return byte === quote ? this.#to('body') : null
    if (phase === 'body') return this.#inBody(byte)
    if (phase === 'escape') {
      if (byte === ascii('u')) return this.#to('hex')
      return simpleEscapes.has(byte) ? this.#to('body') : null
    }
    if (phase.startsWith('hex')) return this.#inHex(phase.slice(3), byte)
    if (phase.startsWith('utf8')) {
      const [low, high, more] = phase.slice(5).split(' ').map(Number) as [number, number, number]
      if (byte < low || byte > high) return null
      return this.#to(more === 0 ? 'body' : `utf8 ${0x80} ${0xbf} ${more - 1}`)
    }
    return null
  }

  /** Beyond the window a limit cannot be reached, so any limit beyond it looks the same. */
  window(bytes: number): Leaf {
    const min = Math.min(this.#min, bytes + 1)
    const max = this.#max > bytes ? Infinity : this.#max
    return min === this.#min && max === this.#max ? this : new StringLeaf(this.#phase, min, max)
  }

  #inBody(byte: number): Leaf | null {
    if (byte === quote) return this.#min === 0 ? this.#to('done') : null
    if (byte < 0x20 || this.#max === 0) return null
    const [min, max] = [this.#min - 1, this.#max - 1]
    if (byte === backslash) return new StringLeaf('escape', min, max)
    if (byte < 0x80) return new StringLeaf('body', min, max)
    const lead = utf8Lead(byte)
    return lead && new StringLeaf(`utf8 ${lead[0]} ${lead[1]} ${lead[2]}`, min, max)
  }

  #inHex(digits: string, byte: number): Leaf | null {
    const digit = String.fromCharCode(byte).toLowerCase()
    if (!/[0-9a-f]/.test(digit)) return null
    const written = digits + digit
    if (/^d[89a-f]/.test(written)) return null
    return this.#to(written.length === 4 ? 'body' : `hex${written}`)
  }

  #to(phase: Phase): Leaf {
    return new StringLeaf(phase, this.#min, this.#max)
  }
}

function minBytes(phase: Phase, min: number): number {
  if (phase === 'done') return 0
  if (phase === 'open') return min + 2
  if (phase === 'body') return min + 1
  if (phase === 'escape') return min + 2
  if (phase.startsWith('hex')) return min + 1 + 4 - (phase.length - 3)
  return min + 2 + Number(phase.split(' ')[3])
}
