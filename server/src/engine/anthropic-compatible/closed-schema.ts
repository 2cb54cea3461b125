// A schema in which objects have no other properties than those it names, where it does not say whether they may: servers of
// Claude take no schema that leaves this open. Where closing an object could forbid what its caller wants (one that names no
// properties, or has some in a schema that it is combined with) it stays open, and the server says what it makes of it.
import { isObject, type Json } from '../../lib/json-object.ts'
import { isWrittenNumber } from '../../lib/long-numbers.ts'

/** Keywords that hold one schema, a list of them, or each by its name. What others hold may only look like one, as a default. */
const holdsOne = ['items']
const holdsList = ['prefixItems', 'anyOf', 'oneOf']
const holdsNamed = ['properties', '$defs', 'definitions']

/** Keywords by which an object may get properties that are named elsewhere. */
const combines = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas']

/** As deep as the body of a request may be. */
export function closedSchema(schema: Json): Json {
  const closed = mapped(schema, closedWithin)
  return isOpen(schema) ? { ...closed, additionalProperties: false } : closed
}

function isOpen(schema: Json): boolean {
  const { properties } = schema
  if (!isPlain(properties) || Object.keys(properties).length === 0) return false
  return !('additionalProperties' in schema) && !combines.some((keyword) => keyword in schema)
}

function closedWithin(value: unknown, keyword: string): unknown {
  if (holdsOne.includes(keyword)) return closedIfSchema(value)
  if (holdsList.includes(keyword) && Array.isArray(value)) return value.map(closedIfSchema)
  if (holdsNamed.includes(keyword) && isPlain(value)) return mapped(value, closedIfSchema)
  return value
}

function closedIfSchema(value: unknown): unknown {
  return isPlain(value) ? closedSchema(value) : value
}

function isPlain(value: unknown): value is Json {
  return isObject(value) && !isWrittenNumber(value)
}

function mapped(object: Json, change: (value: unknown, name: string) => unknown): Json {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value, name)]),
  )
}
