// Cursors of lists: opaque to clients, the id of the last row inside.
import { Refusal } from '../../core/refusal.ts'

export function readCursor(
  cursor: string | undefined,
  fits: (text: string) => boolean,
): string | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!fits(text)) throw new Refusal('BAD_REQUEST', 'cursor is not one that this list gave out.')
  return text
}

/** Takes one row more than asked for, and says whether it was there. */
export function cutPage<Row>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { rows: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    rows: page,
    next_cursor: more ? Buffer.from(cursorOf(last)).toString('base64url') : null,
  }
}
