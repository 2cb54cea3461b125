// `cache_control`, which both dialects write the same way (spec 1, caching rules 8 and 9).
import type { CacheMark } from '../core/block.ts'
import { isObject, type Json } from '../lib/json-object.ts'
import { bad, field } from './read-fields.ts'

/** The mark on something, or null. `param` is where the thing stands: tools, system, messages, cache_control. */
export function readCacheControl(holder: Json, param: string): CacheMark | null {
  const value = field(holder, 'cache_control')
  if (value === undefined) return null
  if (!isObject(value)) throw bad(param, 'cache_control must be an object.')
  if (field(value, 'type') !== 'ephemeral') {
    throw bad(param, 'cache_control.type not supported: only ephemeral is.')
  }
  const ttl = field(value, 'ttl') ?? '5m'
  if (ttl !== '5m' && ttl !== '1h') {
    throw bad(param, 'cache_control.ttl not supported: use 5m or 1h.')
  }
  return { ttl, from: 'cache_control' }
}

export function refuseThinkingMark(holder: Json): void {
  if (field(holder, 'cache_control') === undefined) return
  throw bad(
    'messages',
    'cache_control marker on a thinking block: put it on the text block that follows.',
  )
}

/** Spreads into a block: `{...marked(mark)}`. */
export function marked(mark: CacheMark | null): { cache?: CacheMark } {
  return mark === null ? {} : { cache: mark }
}
