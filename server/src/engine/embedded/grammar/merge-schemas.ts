// Two JSON schemas as one that asks for both, for the keywords that the grammar knows. Where both set a
// keyword, the narrower wins; a value that a keyword cannot have counts as not set.
import { isSchema, list } from './schema-keywords.ts'

export type JsonSchema = Record<string, unknown>

export function mergeSchemas(a: JsonSchema, b: JsonSchema): JsonSchema {
  return mergeEntries(a, b, narrower)
}

/** Not by assignment, as a key may be `__proto__`. */
function mergeEntries(
  a: JsonSchema,
  b: JsonSchema,
  merge: (key: string, a: unknown, b: unknown) => unknown,
): JsonSchema {
  const merged = new Map(Object.entries(a))
  for (const [key, value] of Object.entries(b)) {
    merged.set(key, merged.has(key) ? merge(key, merged.get(key), value) : value)
  }
  return Object.fromEntries(merged)
}

function narrower(keyword: string, a: unknown, b: unknown): unknown {
  switch (keyword) {
    case 'properties':
      if (!isSchema(a) || !isSchema(b)) return isSchema(a) ? a : b
      return mergeEntries(a, b, (_, one, other) => both(one, other))
    case 'required':
      return [...new Set([...list(a), ...list(b)])]
    case 'type':
      return narrowerTypes([a].flat(), [b].flat())
    case 'enum':
      return sharedValues(a, b)
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minItems':
    case 'minLength':
      return narrowerNumber(a, b, Math.max)
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxItems':
    case 'maxLength':
      return narrowerNumber(a, b, Math.min)
    case 'items':
    case 'additionalProperties':
      return both(a, b)
    case 'prefixItems':
      return mergePrefixes(list(a), list(b))
    default:
      return b
  }
}

function narrowerTypes(a: unknown[], b: unknown[]): unknown[] {
  const fits = (type: unknown, other: unknown) =>
    type === other || (type === 'integer' && other === 'number')
  return [
    ...a.filter((type) => b.some((other) => fits(type, other))),
    ...b.filter((type) => !a.includes(type) && a.some((other) => fits(type, other))),
  ]
}

function sharedValues(a: unknown, b: unknown): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return Array.isArray(a) ? a : b
  const texts = new Set(b.map((value) => JSON.stringify(value)))
  return a.filter((value) => texts.has(JSON.stringify(value)))
}

function narrowerNumber(
  a: unknown,
  b: unknown,
  pick: (a: number, b: number) => number,
): number | undefined {
  if (typeof a !== 'number') return typeof b === 'number' ? b : undefined
  return typeof b === 'number' ? pick(a, b) : a
}

function mergePrefixes(a: unknown[], b: unknown[]): unknown[] {
  const [longer, shorter] = a.length < b.length ? [b, a] : [a, b]
  return longer.map((item, index) => (index < shorter.length ? both(item, shorter[index]) : item))
}

/** Both of two schemas. What is asked for twice is named once, so that asking again and again comes to an end. */
export function both(a: unknown, b: unknown): unknown {
  if (a === false || b === false) return false
  if (!isSchema(a) || !isSchema(b)) return isSchema(a) ? a : b
  const parts = [...new Set([...partsOf(a), ...partsOf(b)])]
  return parts.length === 1 ? parts[0] : { allOf: parts }
}

function partsOf(schema: JsonSchema): unknown[] {
  return Object.keys(schema).length === 1 && Array.isArray(schema.allOf) ? schema.allOf : [schema]
}
