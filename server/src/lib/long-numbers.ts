// Numbers in JSON that have more digits than a number holds here: ids of 64 bits, times in nanoseconds. Clients in other
// languages and models keep all of them, so that what goes from one to the other through here must keep them too.
import { randomUUID } from 'node:crypto'
import { endOfString } from './json-in-json.ts'

/** Nobody outside can know it, so that no other string is ever taken for a number. */
const mark = randomUUID()
const marked = new RegExp(`"${mark}([^"]*)"`, 'g')
const quoted = `"${mark}$&"`
const longCharactersMin = 16
/** No conversation has so many; what comes behind them is left as it is. */
const piecesMax = 10_000
/** Between strings nothing else is so long. */
const longNumber = new RegExp(`[-+.\\deE]{${longCharactersMin},}`, 'g')
/** Reading texts in the slow way is bounded; what is longer is read as any other. */
const slowCharactersMax = 64 * 1024

export function holdsLong(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsLong)
  const fields = value as Record<string, unknown>
  // Every schema of every call is looked through, and this is the quickest way by far.
  for (const name of Object.keys(fields)) if (holdsLong(fields[name])) return true
  return false
}

/** The same JSON with strings in place of its long numbers, which `unquoteLong` makes numbers again. */
export function quoteLong(json: string): string {
  const pieces: string[] = []
  let taken = 0
  for (let at = 0; at < json.length;) {
    const quote = json.indexOf('"', at)
    const open = quote === -1 ? json.length : quote
    // Most strings stand close together, and are passed over without a look.
    const between = open - at >= longCharactersMin ? json.slice(at, open) : ''
    const changed = between.replace(longNumber, quoted)
    if (changed !== between && pieces.length < piecesMax) {
      pieces.push(json.slice(taken, at), changed)
      taken = open
    }
    at = quote === -1 ? open : endOfString(json, open)
  }
  return pieces.join('') + json.slice(taken)
}

export function unquoteLong(json: string): string {
  return json.replace(marked, '$1')
}

/** What becomes the same text again when it is written. Its long numbers are good for nothing else. */
export function parseToWrite(json: string): unknown {
  const value: unknown = JSON.parse(json)
  const isPlain = typeof value !== 'object' || json.length > slowCharactersMax || !holdsLong(value)
  return isPlain ? value : (JSON.parse(json, asWritten) as unknown)
}

const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (json: string) => object
  isRawJSON: (value: unknown) => boolean
}

/** A long number in what `parseToWrite` made: an object to all appearances. */
export function isWrittenNumber(value: unknown): boolean {
  return isRawJSON(value)
}

function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && holdsLong(value) ? rawJSON(context?.source ?? '0') : value
}
