// Reads single keywords of a JSON schema, tolerating values that are not what they should be.
import type { JsonSchema } from './merge-schemas.ts'

export const schemaTypes = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
] as const
export type SchemaType = (typeof schemaTypes)[number]

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

export function without(schema: JsonSchema, keyword: string): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== keyword))
}

export function count(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? Math.floor(value) : otherwise
}

const annotations = new Set(
  '$schema $id $comment $defs definitions title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
)

/** Whether any keyword here narrows what is valid. */
export function hasConstraint(schema: JsonSchema): boolean {
  return Object.keys(schema).some((keyword) => !annotations.has(keyword))
}

const typeOfKeyword: Record<string, SchemaType> = {
  properties: 'object',
  required: 'object',
  additionalProperties: 'object',
  items: 'array',
  minItems: 'array',
  maxItems: 'array',
  minLength: 'string',
  maxLength: 'string',
  pattern: 'string',
  format: 'string',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
}

/** The types a value may have. A schema that names none means the one its keywords are about; null: any. */
export function typesOf(schema: JsonSchema): SchemaType[] | null {
  if (schema.type !== undefined) {
    const named = [schema.type].flat()
    const known = schemaTypes.filter((type) => named.includes(type))
    return known.length > 0 || named.length === 0 ? known : null
  }
  for (const [keyword, type] of Object.entries(typeOfKeyword)) if (keyword in schema) return [type]
  return null
}

/** The values that `const` and `enum` leave, or null where neither is set. */
export function enumerated(schema: JsonSchema): unknown[] | null {
  if (!('const' in schema) && !Array.isArray(schema.enum)) return null
  const types = schema.type === undefined ? null : typesOf(schema)
  const values = Array.isArray(schema.enum) ? list(schema.enum) : [schema.const]
  return values.filter(
    (value) =>
      (types === null || types.some((type) => hasType(value, type))) &&
      (!('const' in schema) || JSON.stringify(value) === JSON.stringify(schema.const)),
  )
}

function hasType(value: unknown, type: SchemaType): boolean {
  switch (type) {
    case 'object':
      return isSchema(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
  }
}
