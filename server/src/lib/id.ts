// UUIDv7: ids that carry the time they were made at, so that they sort by it and it can be read back.
import { randomFillSync } from 'node:crypto'

const idDigits = 20
const pool = Buffer.alloc((idDigits / 2) * 256)
/** Written out all at once: one after another they would take twice as long. */
let digits = ''
let used = 0
let lastMs = -1
let lastTime = ''
/** The digit that says how an id is made holds two random bits. */
const variants = '89ab'

/** 48 bits of milliseconds, then 74 random bits around version and variant. */
export function newId(at: Date): string {
  if (used === digits.length) {
    digits = randomFillSync(pool).toString('hex')
    used = 0
  }
  const ms = at.getTime()
  if (ms !== lastMs) {
    const hex = ms.toString(16).padStart(12, '0')
    lastMs = ms
    lastTime = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  }
  const from = used
  used += idDigits
  const variant = variants[pool[from / 2 + 1]! & 0x3]
  return (
    `${lastTime}${digits.slice(from, from + 3)}-` +
    `${variant}${digits.slice(from + 4, from + 7)}-${digits.slice(from + 7, from + 19)}`
  )
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function isId(text: string): boolean {
  return uuid.test(text)
}

/** When a UUIDv7 was made; null for any other id. */
export function timeOfId(id: string): Date | null {
  if (!isId(id) || id[14] !== '7') return null
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}
