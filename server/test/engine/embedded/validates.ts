// A plain JSON schema validator for the keywords that the grammar enforces; the tests' second opinion.
type Schema = Record<string, unknown>

export function validates(value: unknown, schema: unknown, root: unknown = schema): boolean {
  if (typeof schema === 'boolean') return schema
  const s = schema as Schema
  if (typeof s.$ref === 'string') {
    let target = root
    for (const part of s.$ref.split('/').slice(1)) target = (target as Schema)[part]
    if (!validates(value, target, root)) return false
  }
  if (s.type !== undefined && ![s.type].flat().some((type) => hasType(value, type as string)))
    return false
  if (s.enum && !(s.enum as unknown[]).some((option) => same(option, value))) return false
  if ('const' in s && !same(s.const, value)) return false
  for (const any of [s.anyOf, s.oneOf] as (unknown[] | undefined)[])
    if (any && !any.some((option) => validates(value, option, root))) return false
  if (s.allOf && !(s.allOf as unknown[]).every((part) => validates(value, part, root))) return false
  if (typeof value === 'string') {
    const length = [...value].length
    if (length < ((s.minLength as number) ?? 0)) return false
    if (length > ((s.maxLength as number) ?? Infinity)) return false
  }
  if (typeof value === 'number') {
    if (value < ((s.minimum as number) ?? -Infinity)) return false
    if (value > ((s.maximum as number) ?? Infinity)) return false
    if (value <= ((s.exclusiveMinimum as number) ?? -Infinity)) return false
    if (value >= ((s.exclusiveMaximum as number) ?? Infinity)) return false
  }
  if (Array.isArray(value)) {
    if (value.length < ((s.minItems as number) ?? 0)) return false
    if (value.length > ((s.maxItems as number) ?? Infinity)) return false
    const placed = (s.prefixItems ?? (Array.isArray(s.items) ? s.items : [])) as unknown[]
    const others = Array.isArray(s.items) ? s.additionalItems : s.items
    const schemaAt = (index: number) => (index < placed.length ? placed[index] : (others ?? true))
    if (!value.every((item, index) => validates(item, schemaAt(index), root))) return false
  }
  return hasType(value, 'object') ? validObject(value as Schema, s, root) : true
}

function validObject(value: Schema, s: Schema, root: unknown): boolean {
  const listed = (s.properties ?? {}) as Schema
  if (((s.required ?? []) as string[]).some((name) => !Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, entry]) =>
    Object.hasOwn(listed, name)
      ? validates(entry, listed[name], root)
      : s.additionalProperties === undefined || validates(entry, s.additionalProperties, root),
  )
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  return typeof value === type
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
