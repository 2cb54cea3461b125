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
  // Generated clients read such a text as a value of its own, and then hold the pattern of the text against that.
  if (typeof copy.format === 'string' || copy.type === 'integer') delete copy.pattern
  return copy
}
