// Cursors of lists: opaque to clients; inside are the name of the list and the id of the last row.
import { Refusal } from '../../core/refusal.ts'

export function readCursor(
  list: string,
  cursor: string | undefined,
  fits: (text: string) => boolean,
): string | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const last = text.slice(list.length + 1)
  if (!text.startsWith(`${list}:`) || !fits(last)) {
    throw new Refusal(
      'BAD_REQUEST',
      'cursor is not valid for this list; send the next_cursor of the previous page unchanged.',
    )
  }
  return last
}

/** Takes one row more than asked for, and says whether it was there. */
export function cutPage<Row>(
  list: string,
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { rows: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    rows: page,
    next_cursor: more ? Buffer.from(`${list}:${cursorOf(last)}`).toString('base64url') : null,
  }
}
