// Two JSON schemas as one that asks for both, for the keywords that the grammar knows. Where both set a
// keyword, the narrower wins; a value that a keyword cannot have counts as not set.
import { isSchema, type JsonSchema, list, textLength } from './schema-keywords.ts'

/** Told how much is merged before it is, and refuses what would take too long: many merged one by one are a square. */
export type Spend = (entries: number) => void

/** So much text of values is compared as quickly as one entry is merged. */
const charactersOfEntry = 64

export function mergeSchemas(a: JsonSchema, b: JsonSchema, spend: Spend): JsonSchema {
  return mergeEntries(
    reaching(a, b, spend),
    reaching(b, a, spend),
    (keyword, one, other) => narrower(keyword, one, other, spend),
    spend,
  )
}

/** What `a` says of all other members and items, said of those that only `b` lists. */
function reaching(a: JsonSchema, b: JsonSchema, spend: Spend): JsonSchema {
  let asked = a
  const { additionalProperties, items } = a
  if (additionalProperties !== undefined && isSchema(b.properties) && !a.patternProperties) {
    const listed = isSchema(a.properties) ? a.properties : {}
    const names = Object.keys(b.properties)
    spend(names.length)
    const others = names.filter((name) => !Object.hasOwn(listed, name))
    const properties = [
      ...Object.entries(listed),
      ...others.map((name) => [name, additionalProperties] as const),
    ]
    asked = { ...asked, properties: Object.fromEntries(properties) }
  }
  const prefix = list(a.prefixItems)
  const further = list(b.prefixItems).length - prefix.length
  if (items !== undefined && further > 0) {
    spend(further)
    asked = { ...asked, prefixItems: [...prefix, ...new Array<unknown>(further).fill(items)] }
  }
  return asked
}

/** Not by assignment, as a key may be `__proto__`. */
function mergeEntries(
  a: JsonSchema,
  b: JsonSchema,
  merge: (key: string, a: unknown, b: unknown) => unknown,
  spend: Spend,
): JsonSchema {
  const [entries, others] = [Object.entries(a), Object.entries(b)]
  spend(entries.length + others.length)
  const merged = new Map(entries)
  for (const [key, value] of others) {
    merged.set(key, merged.has(key) ? merge(key, merged.get(key), value) : value)
  }
  return Object.fromEntries(merged)
}

function narrower(keyword: string, a: unknown, b: unknown, spend: Spend): unknown {
  spend(list(a).length + list(b).length)
  switch (keyword) {
    case 'properties':
      if (!isSchema(a) || !isSchema(b)) return isSchema(a) ? a : b
      return mergeEntries(a, b, (_, one, other) => both(one, other, spend), spend)
    case 'required':
      return [...new Set([...list(a), ...list(b)])]
    case 'type':
      return narrowerTypes([a].flat(), [b].flat())
    case 'enum':
      return sharedValues(a, b, spend)
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
      return both(a, b, spend)
    case 'prefixItems':
      return mergePrefixes(list(a), list(b), spend)
    default:
      return b
  }
}

function narrowerTypes(a: unknown[], b: unknown[]): unknown[] {
  const [inA, inB] = [new Set(a), new Set(b)]
  const isIn = (types: Set<unknown>, type: unknown) =>
    types.has(type) || (type === 'integer' && types.has('number'))
  return [
    ...a.filter((type) => isIn(inB, type)),
    ...b.filter((type) => !inA.has(type) && isIn(inA, type)),
  ]
}

function sharedValues(a: unknown, b: unknown, spend: Spend): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return Array.isArray(a) ? a : b
  spend((textLength(a) + textLength(b)) / charactersOfEntry)
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

function mergePrefixes(a: unknown[], b: unknown[], spend: Spend): unknown[] {
  const [longer, shorter] = a.length < b.length ? [b, a] : [a, b]
  return longer.map((item, index) =>
    index < shorter.length ? both(item, shorter[index], spend) : item,
  )
}

/** Both of two schemas. What is asked for twice is named once, so that asking again and again comes to an end. */
export function both(a: unknown, b: unknown, spend: Spend): unknown {
  if (a === false || b === false) return false
  if (!isSchema(a) || !isSchema(b)) return isSchema(a) ? a : b
  const [some, others] = [partsOf(a), partsOf(b)]
  spend(some.length + others.length)
  const parts = [...new Set([...some, ...others])]
  return parts.length === 1 ? parts[0] : { allOf: parts }
}

function partsOf(schema: JsonSchema): unknown[] {
  return Object.keys(schema).length === 1 && Array.isArray(schema.allOf) ? schema.allOf : [schema]
}
