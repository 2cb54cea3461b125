// A schema in which objects have no other properties than those it names, where it does not say whether they may: servers of
// Claude take no schema that leaves this open. Where closing an object could forbid what its caller wants (one that names no
// properties, or has some in a schema that it is combined with) it stays open, and the server says what it makes of it.
import { isObject, type Json } from '../../lib/json-object.ts'
import { isWrittenNumber } from '../../lib/long-numbers.ts'

/** Keywords that hold schemas, and how. What others hold may only look like one, as a default. */
const holders = new Map<string, (held: unknown) => unknown>([
  ['items', closedIfSchema],
  ['prefixItems', closedList],
  ['anyOf', closedList],
  ['oneOf', closedList],
  ['properties', closedNamed],
  ['$defs', closedNamed],
  ['definitions', closedNamed],
])

/** Keywords by which an object may get properties that are named elsewhere. */
const combines = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas']

/** As deep as the body of a request may be. */
export function closedSchema(schema: Json): Json {
  let closed = schema
  for (const keyword of Object.keys(schema)) {
    const close = holders.get(keyword)
    if (!close) continue
    // Most of a large schema holds no other, and is not copied.
    if (closed === schema) closed = { ...schema }
    closed[keyword] = close(schema[keyword])
  }
  return isOpen(schema) ? { ...closed, additionalProperties: false } : closed
}

function isOpen(schema: Json): boolean {
  const { properties } = schema
  if (!isPlain(properties) || Object.keys(properties).length === 0) return false
  return !('additionalProperties' in schema) && !combines.some((keyword) => keyword in schema)
}

function closedIfSchema(value: unknown): unknown {
  return isPlain(value) ? closedSchema(value) : value
}

function closedList(value: unknown): unknown {
  return Array.isArray(value) ? value.map(closedIfSchema) : value
}

function closedNamed(value: unknown): unknown {
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closedIfSchema(one)]))
}

function isPlain(value: unknown): value is Json {
  return isObject(value) && !isWrittenNumber(value)
}
