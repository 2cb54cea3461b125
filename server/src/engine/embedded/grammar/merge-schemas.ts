// Two JSON schemas as one that asks for both, for the keywords that the grammar knows. Where both set a
// keyword, the narrower wins.
export type JsonSchema = Record<string, unknown>

export function mergeSchemas(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...a }
  for (const [keyword, value] of Object.entries(b)) {
    merged[keyword] = keyword in a ? narrower(keyword, a[keyword], value) : value
  }
  return merged
}

function narrower(keyword: string, a: unknown, b: unknown): unknown {
  switch (keyword) {
    case 'properties':
      return mergeProperties(a as JsonSchema, b as JsonSchema)
    case 'required':
      return [...new Set([...(a as string[]), ...(b as string[])])]
    case 'type':
      return [a].flat().filter((type) => [b].flat().some((other) => fits(type, other)))
    case 'enum':
      return (a as unknown[]).filter((value) =>
        (b as unknown[]).some((other) => JSON.stringify(other) === JSON.stringify(value)),
      )
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minItems':
    case 'minLength':
      return Math.max(a as number, b as number)
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxItems':
    case 'maxLength':
      return Math.min(a as number, b as number)
    case 'items':
    case 'additionalProperties':
      return both(a, b)
    case 'allOf':
      return [...(a as unknown[]), ...(b as unknown[])]
    default:
      return b
  }
}

function mergeProperties(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...a }
  for (const [name, schema] of Object.entries(b)) {
    merged[name] = name in a ? both(a[name], schema) : schema
  }
  return merged
}

function both(a: unknown, b: unknown): unknown {
  if (a === false || b === false) return false
  return a === true ? b : b === true ? a : { allOf: [a, b] }
}

function fits(type: unknown, other: unknown): boolean {
  return type === other || (type === 'integer' && other === 'number')
}
