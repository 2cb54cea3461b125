// A JSON schema with all that it asks for side by side: what it refers to and what its `allOf` lists are merged
// into one, and only its alternatives are left apart.
import type { Spend } from './merge-schemas.ts'
import type { JsonSchema } from './schema-keywords.ts'
import { both, mergeSchemas } from './merge-schemas.ts'
import { constraints, isSchema, list, without } from './schema-keywords.ts'

export type FlatSchema = {
  /** Without references, `allOf`, alternatives and older spellings. */
  plain: JsonSchema
  /** One of each list has to hold as well. */
  alternatives: unknown[][]
  /** Of how many schemas it was merged. */
  parts: number
}

/**
 * Null where nothing can be valid. `resolve` finds what a reference means, and says null for what is not known here.
 * Each part counts once, so that a schema which refers back to itself is no riddle.
 */
export function flatSchema(
  schema: JsonSchema,
  resolve: (pointer: string) => JsonSchema | null,
  spend: Spend,
): FlatSchema | null {
  const asked: JsonSchema[] = []
  const alternatives: unknown[][] = []
  const parts = new Set<unknown>([schema])
  for (const part of parts) {
    if (part === false) return null
    if (!isSchema(part)) continue
    const { $ref, allOf, anyOf, oneOf } = part
    if (typeof $ref === 'string') parts.add(resolve($ref))
    for (const each of list(allOf)) parts.add(each)
    for (const options of [anyOf, oneOf]) if (Array.isArray(options)) alternatives.push(options)
    asked.push(modern(without(part, '$ref', 'allOf', 'anyOf', 'oneOf'), spend))
  }
  const plain = mergeAll(asked, spend)
  return isImpossible(plain) ? null : { plain, alternatives, parts: parts.size }
}

/**
 * Libraries write what two types have together as closed objects side by side. Where no value but perhaps an empty one could be
 * all of them, they are closed together, to what any of them lists.
 */
function mergeAll(parts: JsonSchema[], spend: Spend): JsonSchema {
  const merge = (some: JsonSchema[]) =>
    some.reduce((all, part) => mergeSchemas(all, part, spend), {} as JsonSchema)
  const closed = parts.filter(isClosed)
  if (closed.length === 0 || !excludeOneAnother(parts, closed, spend)) return merge(parts)
  const opened = parts.map((part) =>
    isClosed(part) ? without(part, 'additionalProperties') : part,
  )
  return { ...merge(opened), additionalProperties: false }
}

function excludeOneAnother(parts: JsonSchema[], closed: JsonSchema[], spend: Spend): boolean {
  const listed = closed.map(({ properties }) => (isSchema(properties) ? properties : {}))
  const isInAll = (name: string) => listed.every((members) => Object.hasOwn(members, name))
  const names = new Set<string>()
  for (const { properties, required } of parts) {
    const own = isSchema(properties) ? Object.keys(properties) : []
    spend((own.length + list(required).length) * closed.length)
    for (const name of own) names.add(name)
    if (list(required).some((name) => typeof name === 'string' && !isInAll(name))) return true
  }
  return names.size > 0 && ![...names].some(isInAll)
}

function isClosed({ additionalProperties, patternProperties }: JsonSchema): boolean {
  return additionalProperties === false && !patternProperties
}

/** `const` as the only value of an `enum`, and a list of items as a tuple. */
function modern(schema: JsonSchema, spend: Spend): JsonSchema {
  let asked = constraints(schema)
  if ('const' in asked) {
    const only = { enum: [asked.const] }
    asked = mergeSchemas(without(asked, 'const'), only, spend)
  }
  if (Array.isArray(asked.items)) {
    const { items, additionalItems } = asked
    asked = without(asked, 'items', 'additionalItems')
    asked.prefixItems = items
    if (additionalItems !== undefined) asked.items = additionalItems
  }
  return asked
}

/** Told early, as it saves the product of all alternatives with one that cannot be. */
function isImpossible({ type, enum: values }: JsonSchema): boolean {
  return (
    (Array.isArray(type) && type.length === 0) || (Array.isArray(values) && values.length === 0)
  )
}

/** One of several lists of alternatives taken apart: `plain` and each of its options, with the other lists left. */
export function optionsOf(
  { plain, alternatives }: Pick<FlatSchema, 'plain' | 'alternatives'>,
  spend: Spend,
): unknown[] {
  const [options = [], ...others] = alternatives
  const left = others.map((anyOf) => ({ anyOf }))
  const beside = Object.keys(plain).length > 0 ? [plain, ...left] : left
  return options.map((option) => {
    if (option === false || beside.length === 0) return option
    return beside.reduce<unknown>(
      (all, part) => both(all, part, spend),
      isSchema(option) ? option : {},
    )
  })
}
