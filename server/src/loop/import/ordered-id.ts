// Ids for the rows of one import: their order is the order of the rows, which also keeps the indexes compact.
import { newId } from '../../lib/id.ts'

/** A UUIDv7 whose first random bits are a counter; a counter that overflows goes on in the next millisecond. */
export function orderedId(atMs: number, index: number): string {
  const id = newId(new Date(atMs + (index >>> 12)))
  return id.slice(0, 15) + (index & 0xfff).toString(16).padStart(3, '0') + id.slice(18)
}
