// `prompt_cache: {mode: off}`, an extension of the platform in both dialects: it switches platform-managed
// breakpoints off (spec 1, caching rule 4).
import type { Json } from '../lib/json-object.ts'
import { bad, field, optionalObject } from './read-fields.ts'

export function readManaged(body: Json): boolean {
  const value = optionalObject(body, 'prompt_cache')
  const mode = value && field(value, 'mode')
  if (mode === undefined || mode === 'auto' || mode === 'on') return true
  if (mode === 'off') return false
  throw bad('prompt_cache', 'prompt_cache.mode must be off or auto.')
}
