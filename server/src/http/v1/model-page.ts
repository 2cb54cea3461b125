// One page of the models as clients of the messages dialect ask for it: by the id that it follows or precedes.
import { modelPageMax } from '#contract/limits.ts'
import type { ModelRow } from '#contract/model.ts'
import { Refusal } from '../../core/refusal.ts'

export type ModelPageQuery = Partial<Record<'limit' | 'after_id' | 'before_id', unknown>>

/** Without a limit it holds all that there are. */
export function modelPage<Row extends Pick<ModelRow, 'id'>>(
  rows: readonly Row[],
  query: ModelPageQuery,
): { data: Row[]; has_more: boolean; first_id: string | null; last_id: string | null } {
  const from = query.after_id === undefined ? 0 : indexOf(rows, query, 'after_id') + 1
  const to = query.before_id === undefined ? rows.length : indexOf(rows, query, 'before_id')
  const between = rows.slice(from, to)
  const limit = limitOf(query.limit) ?? between.length
  // Before an id come the ones next to it, and more are farther before it.
  const isBackwards = query.before_id !== undefined && query.after_id === undefined
  const data = isBackwards
    ? between.slice(Math.max(0, between.length - limit))
    : between.slice(0, limit)
  return {
    data,
    has_more: data.length < between.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

function indexOf(
  rows: readonly Pick<ModelRow, 'id'>[],
  query: ModelPageQuery,
  param: 'after_id' | 'before_id',
): number {
  const index = rows.findIndex(({ id }) => id === query[param])
  if (index !== -1) return index
  throw new Refusal('invalid_value', `${param} is no id of a model in this list; leave it out.`, {
    param,
  })
}

function limitOf(text: unknown): number | null {
  if (text === undefined) return null
  const limit = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= modelPageMax) return limit
  throw new Refusal('invalid_value', `limit must be a whole number from 1 to ${modelPageMax}.`, {
    param: 'limit',
  })
}
