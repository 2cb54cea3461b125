// UUIDv7: ids that carry the time they were made at, so that they sort by it and it can be read back.
import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(10 * 256)
let used = pool.length
let lastMs = -1
let lastTime = ''

/** 48 bits of milliseconds, then 74 random bits around version and variant. */
export function newId(at: Date): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const ms = at.getTime()
  if (ms !== lastMs) {
    const hex = ms.toString(16).padStart(12, '0')
    lastMs = ms
    lastTime = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  }
  const random = pool.toString('hex', used, used + 10)
  used += 10
  const variant = ((Number.parseInt(random.charAt(3), 16) & 0x3) | 0x8).toString(16)
  return (
    `${lastTime}${random.slice(0, 3)}-` + `${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
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
