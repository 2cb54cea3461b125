// How large a JSON schema may be, checked before any of it is compiled.
import { grouped } from '../../../lib/grouped.ts'
import { EngineError } from '../../engine.ts'

const schemaLimits = { depth: 96, values: 30_000, characters: 512 * 1024 }

/** Which schema of a request is meant: how a sentence calls it, and the field that it came in. */
export type SchemaPlace = { called: string; param: string }

export const answerSchema: SchemaPlace = { called: 'The JSON schema', param: 'response_format' }

/** Of all tools together, where it cannot be told which one is at fault. */
export const toolSchemas: SchemaPlace = { called: 'A JSON schema of the tools', param: 'tools' }

export function toolSchema(name: string): SchemaPlace {
  return { called: `The JSON schema of tool ${name}`, param: 'tools' }
}

/** Walks without recursion, as the depth is what is being checked. */
export function checkSchemaLimits(schema: unknown, place: SchemaPlace): void {
  const { depth: depthMax, values: valuesMax, characters: charactersMax } = schemaLimits
  let values = 0
  let characters = 0
  const open: { value: unknown; depth: number }[] = [{ value: schema, depth: 0 }]
  for (let top = open.pop(); top; top = open.pop()) {
    const { value, depth } = top
    if (depth > depthMax) {
      throw refusal(place, `is nested more than ${depthMax} levels deep; make it flatter.`)
    }
    if (++values > valuesMax) {
      throw refusal(place, `has more than ${grouped(valuesMax)} values; make it smaller.`)
    }
    if (typeof value === 'string') characters += value.length
    if (characters > charactersMax) {
      throw refusal(place, `has more than ${grouped(charactersMax)} characters; make it smaller.`)
    }
    if (typeof value !== 'object' || value === null) continue
    for (const [key, entry] of Object.entries(value)) {
      if (!Array.isArray(value)) characters += key.length
      open.push({ value: entry, depth: depth + 1 })
    }
  }
}

/** `problem` goes on from what the schema is called, and ends the sentence. */
export function refusal({ called, param }: SchemaPlace, problem: string): EngineError {
  return new EngineError('refused', `${called} ${problem}`, { param })
}
