// A type of the contract as JSON Schema, in words that generators of clients understand.
import { z } from 'zod'
import { isObject, type Json } from '../../lib/json-object.ts'

export function schema(type: z.ZodType, io: 'input' | 'output' = 'input'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return plain(rest) as Json
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
  return inPlainWords(copy)
}

function inPlainWords(one: Json): Json {
  // Generated clients read such a text as a value of its own, and then hold the pattern of the text against that.
  if (typeof one.format === 'string' || one.type === 'integer') delete one.pattern
  // Not every language has classes of characters.
  if (typeof one.pattern === 'string' && one.pattern.includes('\\p{')) delete one.pattern
  if (one.type === 'integer') return wholeNumber(one)
  const plainType = orNull(one)
  return plainType ? { ...withoutAlternatives(one), ...plainType } : one
}

/** Where nothing is said, generators take the smallest numbers their language has. */
function wholeNumber({ minimum, maximum, ...rest }: Json): Json {
  const isBounded = (bound: unknown): boolean =>
    typeof bound === 'number' && Math.abs(bound) !== Number.MAX_SAFE_INTEGER
  return {
    ...rest,
    ...(typeof maximum === 'number' && maximum <= 0x7fff_ffff ? {} : { format: 'int64' }),
    ...(isBounded(minimum) ? { minimum } : {}),
    ...(isBounded(maximum) ? { maximum } : {}),
  }
}

const plainTypes: unknown[] = ['string', 'number', 'integer', 'boolean']

/** A value or null, as one type: some generators take alternatives with the same null for the same type. */
function orNull({ anyOf }: Json): Json | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [value, other] = anyOf as [Json, Json]
  if (other.type !== 'null' || !plainTypes.includes(value.type) || value.enum) return null
  return { ...value, type: [value.type, 'null'] }
}

function withoutAlternatives({ anyOf: _, ...rest }: Json): Json {
  return rest
}
