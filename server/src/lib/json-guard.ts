// Bounds what a JSON text may hold while its bytes arrive, before anyone parses it. It does not say whether the text
// is JSON, only that parsing it is cheap: JSON.parse stays the judge of the rest. Bytes that no JSON has between its strings, and
// values with nothing between them, are told here all the same, because they would be counted as values and numbers.
import { randomInt } from 'node:crypto'

export type JsonLimits = {
  depthMax: number
  valuesMax: number
  shapesMax: number
  keyBytesMax: number
  numberBytesMax: number
  escapesMax: number
}

export type JsonFault =
  'depth' | 'values' | 'shapes' | 'key-bytes' | 'number-bytes' | 'escapes' | 'malformed'

const words: Partial<Record<number, Buffer>> = Object.fromEntries(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
)
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

const minus = 0x2d
const quote = 0x22
const backslash = 0x5c
/** Strings longer than this are skipped by a search instead of byte by byte. */
const shortString = 32
const shapeBits = 16
/** So few keys are not worth remembering, and most bodies have no more. */
const keysUncounted = 256
/** Unknown outside, so that nobody can pick keys that look alike here and different to the parser. */
const seed = randomInt(2 ** 32 - 1) | 0

/**
 * A push scanner: takes the text in pieces of any size and answers the same however it is cut. Linear, without
 * recursion, its memory bounded by the depth.
 *
 * What costs time in V8's parser, and is bounded therefore. Measured as the longest turn of the event loop, in
 * processor time, with a body just below the limit (Node 24, `bench/hostile-bodies.ts`):
 *
 * | what                                                 | each     | at the limit |
 * | ---------------------------------------------------- | -------: | -----------: |
 * | a byte of plain text, up to 32 MiB                   | 1 ns     | 34 ms        |
 * | the same with one character beyond Latin-1 in it     | 2 ns     | 65 ms        |
 * | a short distinct text as value                       | 270 ns   | 31 ms        |
 * | a key that no object had in this place (a new shape) | 1,000 ns | 11 ms        |
 * | a byte of a long key                                 | 5 ns     | 9 ms         |
 * | a byte of a number that is hard to round             | 10 ns    | 15 ms        |
 * | an escaped character                                 | 5 ns     | 10 ms        |
 * | something of everything                              |          | 80 ms        |
 *
 * Without the bounds, 32 MiB took seconds. Keys that look like numbers, however sparse, and keys made to collide cost
 * no more than others. A worker thread would not help: copying the result back takes half as long as parsing it, or
 * longer when it has many values.
 */
export class JsonGuard {
  readonly #limits: JsonLimits
  /** What is open at each depth: 1 for an object, 0 for a list. */
  readonly #isObject: number[] = [0]
  /** Hash of the keys so far of the object at each depth. */
  readonly #shape: number[] = [0]
  #seenShapes: Uint8Array | null = null
  #depth = 0
  #values = 0
  #keys = 0
  #shapes = 0
  #keyBytes = 0
  #numberBytes = 0
  #escapes = 0
  #inString = false
  #inKey = false
  #inScalar = false
  /** A value or key has ended, and neither a comma nor a colon has come. */
  #isBehindValue = false
  /** The word that the scalar must be; null for a number. */
  #word: Buffer | null = null
  /** How much of the word has come. */
  #wordAt = 0
  /** How much of a mark of byte order the text began with. */
  #markAt = 0
  #escaped = false
  #keyNext = false
  #keyHash = 0
  #fault: JsonFault | null = null

  constructor(limits: JsonLimits) {
    this.#limits = limits
  }

  get values(): number {
    return this.#values
  }

  /** The first fault of the text so far. */
  push(chunk: Buffer): JsonFault | null {
    let at = this.#skipMark(chunk)
    while (at < chunk.length && this.#fault === null) {
      if (!this.#inString) at = this.#readStructure(chunk, at)
      else at = this.#inKey ? this.#readKey(chunk, at) : this.#skipText(chunk, at)
    }
    return this.#fault
  }

  #skipMark(chunk: Buffer): number {
    let at = 0
    while (this.#markAt < byteOrderMark.length && at < chunk.length) {
      if (chunk[at] !== byteOrderMark[this.#markAt]) this.#markAt = byteOrderMark.length
      else {
        this.#markAt++
        at++
      }
    }
    return at
  }

  /** Reads up to and including the quote that opens the next string; all readers answer where they stopped. */
  #readStructure(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      switch (chunk[at]) {
        case 0x3a: // :
          this.#isBehindValue = false
          this.#inScalar = false
          continue
        case 0x20:
        case 0x0a:
        case 0x0d:
        case 0x09:
          this.#inScalar = false
          continue
        case quote:
          this.#inScalar = false
          this.#inString = true
          this.#inKey = this.#keyNext
          this.#keyNext = false
          this.#keyHash = seed
          this.#beginValue()
          if (!this.#inKey) this.#countValue()
          return at + 1
        case 0x7b: // {
          this.#open(1)
          break
        case 0x5b: // [
          this.#open(0)
          break
        case 0x7d: // }
          this.#close(1)
          break
        case 0x5d: // ]
          this.#close(0)
          break
        case 0x2c: // ,
          this.#inScalar = false
          this.#isBehindValue = false
          this.#keyNext = this.#isObject[this.#depth] === 1
          if (this.#depth > 0) continue
          this.#refuse('malformed')
          break
        default:
          this.#readScalar(chunk[at]!)
      }
      if (this.#fault !== null) return at + 1
    }
    return chunk.length
  }

  #readScalar(byte: number): void {
    const begins = !this.#inScalar
    if (begins) {
      this.#inScalar = true
      this.#word = words[byte] ?? null
      this.#wordAt = 0
      this.#beginValue()
      this.#countValue()
    }
    const fits = this.#word
      ? byte === this.#word[this.#wordAt++]
      : isDigit(byte) || byte === minus || (!begins && isInNumber(byte))
    if (!fits) this.#refuse('malformed')
    else if (++this.#numberBytes > this.#limits.numberBytesMax) this.#refuse('number-bytes')
  }

  #open(isObject: 0 | 1): void {
    this.#inScalar = false
    this.#beginValue()
    this.#isBehindValue = false
    if (this.#depth === this.#limits.depthMax) return this.#refuse('depth')
    this.#depth++
    this.#isObject[this.#depth] = isObject
    this.#shape[this.#depth] = seed
    this.#keyNext = isObject === 1
    this.#countValue()
  }

  #close(isObject: 0 | 1): void {
    this.#inScalar = false
    this.#keyNext = false
    this.#isBehindValue = true
    if (this.#depth === 0 || this.#isObject[this.#depth] !== isObject) this.#refuse('malformed')
    else this.#depth--
  }

  #readKey(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!
      this.#keyHash = Math.imul(this.#keyHash ^ byte, 0x01000193)
      if (++this.#keyBytes > this.#limits.keyBytesMax) this.#refuse('key-bytes')
      if (this.#escaped) this.#escaped = false
      else if (byte === backslash) this.#escape()
      else if (byte === quote) {
        this.#inString = false
        this.#countShape()
        return at + 1
      }
      if (this.#fault !== null) return at + 1
    }
    return chunk.length
  }

  #countShape(): void {
    let hash = Math.imul(this.#shape[this.#depth]! ^ this.#keyHash, 0x9e3779b1 | 0)
    hash ^= hash >>> 15
    this.#shape[this.#depth] = hash
    if (++this.#keys <= keysUncounted) return
    const slot = Math.imul(hash, 0x85ebca6b | 0) >>> (32 - shapeBits)
    this.#seenShapes ??= new Uint8Array(2 ** shapeBits / 8)
    const bit = 1 << (slot & 7)
    const seen = this.#seenShapes[slot >>> 3]!
    if (seen & bit) return
    this.#seenShapes[slot >>> 3] = seen | bit
    if (++this.#shapes > this.#limits.shapesMax) this.#refuse('shapes')
  }

  #skipText(chunk: Buffer, from: number): number {
    let at = from
    // Where the next of each is; found again only once passed, so that every byte is searched once at most.
    let nextQuote = -1
    let nextBackslash = -1
    while (at < chunk.length) {
      if (this.#escaped) {
        this.#escaped = false
        at++
      }
      const near = Math.min(at + shortString, chunk.length)
      while (at < near && chunk[at] !== quote && chunk[at] !== backslash) at++
      if (at === near && at < chunk.length) {
        if (nextQuote < at) nextQuote = indexIn(chunk, quote, at)
        if (nextBackslash < at) nextBackslash = indexIn(chunk, backslash, at)
        at = Math.min(nextQuote, nextBackslash)
      }
      if (at >= chunk.length) break
      if (chunk[at++] === quote) {
        this.#inString = false
        return at
      }
      this.#escape()
      if (this.#fault !== null) return at
    }
    return chunk.length
  }

  #escape(): void {
    this.#escaped = true
    if (++this.#escapes > this.#limits.escapesMax) this.#refuse('escapes')
  }

  #beginValue(): void {
    if (this.#isBehindValue) this.#refuse('malformed')
    this.#isBehindValue = true
  }

  #countValue(): void {
    if (++this.#values > this.#limits.valuesMax) this.#refuse('values')
  }

  #refuse(fault: JsonFault): void {
    this.#fault ??= fault
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** A point, the letter before an exponent, or its sign. */
function isInNumber(byte: number): boolean {
  return byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b
}

function indexIn(chunk: Buffer, byte: number, from: number): number {
  const index = chunk.indexOf(byte, from)
  return index < 0 ? chunk.length : index
}
