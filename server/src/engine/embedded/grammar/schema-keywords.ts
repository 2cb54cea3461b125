// Reads single keywords of a JSON schema, tolerating values that are not what they should be.

export type JsonSchema = Record<string, unknown>

const schemaTypes = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
export type SchemaType = (typeof schemaTypes)[number]

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

/** Of all values together, as JSON. */
export function textLength(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (JSON.stringify(value)?.length ?? 0), 0)
}

export function without(schema: JsonSchema, ...keywords: string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keywords.includes(key)))
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

/** The keywords that narrow what is valid, without the words around them. */
export function constraints(schema: JsonSchema): JsonSchema {
  return without(schema, ...annotations)
}

const typeOfKeyword: Record<string, SchemaType> = {
  properties: 'object',
  required: 'object',
  additionalProperties: 'object',
  items: 'array',
  prefixItems: 'array',
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

/** The limits of a number; what is excluded is told apart, in the older spelling too. */
export function numberLimits(schema: JsonSchema): {
  min: number
  max: number
  minExcluded: boolean
  maxExcluded: boolean
} {
  const limit = (keyword: string, otherwise: number) => {
    const value = schema[keyword]
    return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
  }
  const [minimum, maximum] = [limit('minimum', -Infinity), limit('maximum', Infinity)]
  const above = schema.exclusiveMinimum === true ? minimum : limit('exclusiveMinimum', -Infinity)
  const below = schema.exclusiveMaximum === true ? maximum : limit('exclusiveMaximum', Infinity)
  const [min, max] = [Math.max(minimum, above), Math.min(maximum, below)]
  const minExcluded = above === min && min !== -Infinity
  return { min, max, minExcluded, maxExcluded: below === max && max !== Infinity }
}

/** The values that `enum` leaves, or null where it is not set. */
export function enumerated(schema: JsonSchema): unknown[] | null {
  if (!Array.isArray(schema.enum)) return null
  const types = schema.type === undefined ? null : typesOf(schema)
  return list(schema.enum).filter(
    (value) =>
      (types === null || types.some((type) => hasType(value, type))) && isWithin(value, schema),
  )
}

function isWithin(value: unknown, schema: JsonSchema): boolean {
  if (typeof value === 'string') {
    const { length } = [...value]
    return length >= count(schema.minLength, 0) && length <= count(schema.maxLength, Infinity)
  }
  if (Array.isArray(value)) {
    const { length } = value
    return length >= count(schema.minItems, 0) && length <= count(schema.maxItems, Infinity)
  }
  if (isSchema(value)) return hasMembers(value, schema)
  if (typeof value !== 'number') return true
  const { min, max, minExcluded, maxExcluded } = numberLimits(schema)
  return (minExcluded ? value > min : value >= min) && (maxExcluded ? value < max : value <= max)
}

/** Those that are required, and none that `additionalProperties` keeps out. */
function hasMembers(value: JsonSchema, schema: JsonSchema): boolean {
  const listed = isSchema(schema.properties) ? schema.properties : {}
  const isClosed = schema.additionalProperties === false && !schema.patternProperties
  return (
    list(schema.required).every((name) => typeof name !== 'string' || Object.hasOwn(value, name)) &&
    Object.keys(value).every(
      (name) => (!isClosed || Object.hasOwn(listed, name)) && listed[name] !== false,
    )
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
