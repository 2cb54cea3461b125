// A schema in which objects have no other properties than those it names, where it does not say whether they may: servers of
// Claude take no schema that leaves this open. Where closing an object could forbid what its caller wants (one that names no
// properties, or has some in a schema that it is combined with) it stays open, and the server says what it makes of it.
import { isObject, type Json } from '../../lib/json-object.ts'
import { isWrittenNumber } from '../../lib/long-numbers.ts'

/** Keywords that hold schemas, and how. What others hold may only look like one, as a default. */
const holders: Record<string, (held: unknown) => unknown> = {
  items: closedIfSchema,
  prefixItems: closedList,
  anyOf: closedList,
  oneOf: closedList,
  properties: closedNamed,
  $defs: closedNamed,
  definitions: closedNamed,
}
const holding = Object.keys(holders)

/** Keywords by which an object may get properties that are named elsewhere. */
const combines = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas']

/** As deep as the body of a request may be. */
export function closedSchema(schema: Json): Json {
  // Most of a large schema says neither, and is not copied.
  const held = holding.filter((keyword) => Object.hasOwn(schema, keyword))
  if (held.length === 0) return schema
  const closed = { ...schema }
  for (const keyword of held) closed[keyword] = holders[keyword]!(schema[keyword])
  if (isOpen(schema)) closed.additionalProperties = false
  return closed
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
