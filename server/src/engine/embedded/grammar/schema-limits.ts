// How large a JSON schema may be, checked before any of it is compiled.
import { EngineError } from '../../engine.ts'

export const schemaLimits = { depth: 64, values: 10_000, characters: 256 * 1024 }

/** Walks without recursion, as the depth is what is being checked. */
export function checkSchemaLimits(schema: unknown): void {
  let values = 0
  let characters = 0
  const open: { value: unknown; depth: number }[] = [{ value: schema, depth: 0 }]
  for (let top = open.pop(); top; top = open.pop()) {
    const { value, depth } = top
    if (depth > schemaLimits.depth) refuse(`nested more than ${schemaLimits.depth} levels deep`)
    if (++values > schemaLimits.values) refuse(`larger than ${schemaLimits.values} values`)
    if (typeof value === 'string') characters += value.length
    if (characters > schemaLimits.characters)
      refuse(`longer than ${schemaLimits.characters} characters`)
    if (typeof value !== 'object' || value === null) continue
    for (const [key, entry] of Object.entries(value)) {
      characters += key.length
      open.push({ value: entry, depth: depth + 1 })
    }
  }
}

function refuse(what: string): never {
  throw new EngineError('refused', `The JSON schema is ${what}.`)
}
