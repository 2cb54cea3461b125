// Ids for the rows of one import: their order is the order of the rows, which also keeps the indexes compact.
import { randomFillSync } from 'node:crypto'

const randomBytes = 8
const idsAtOnce = 512
const pool = Buffer.alloc(randomBytes * idsAtOnce)
let digits = ''
let used = 0
let lastMs = -1
let lastTime = ''

/** A UUIDv7 whose first random bits are a counter; a counter that overflows goes on in the next millisecond. */
export function orderedId(atMs: number, index: number): string {
  if (used === digits.length) {
    digits = randomFillSync(pool).toString('hex')
    used = 0
  }
  const ms = atMs + (index >>> 12)
  if (ms !== lastMs) {
    const hex = ms.toString(16).padStart(12, '0')
    lastMs = ms
    lastTime = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  }
  const counter = (0x1000 | (index & 0xfff)).toString(16).slice(1)
  const variant = '89ab'.charAt(digits.charCodeAt(used) & 0x3)
  const id = `${lastTime}${counter}-${variant}${digits.slice(used + 1, used + 4)}-${digits.slice(used + 4, used + 16)}`
  used += 2 * randomBytes
  return id
}
