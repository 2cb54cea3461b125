// A JSON schema as a grammar. Keywords that a grammar cannot hold (pattern, format, uniqueItems, not, …) are
// left out: the text is then valid for all the rest. `oneOf` is read as `anyOf`.
import { EngineError } from '../../engine.ts'
import { choice, leaf, literal, reference } from './grammar-node.ts'
import type { GrammarNode } from './grammar-node.ts'
import { anyArray, anyNumber, anyObject, anyString, anyValue } from './json-grammar.ts'
import { arrayGrammar, objectGrammar } from './json-grammar.ts'
import { mergeSchemas } from './merge-schemas.ts'
import type { JsonSchema } from './merge-schemas.ts'
import { integerLeaf } from './number-leaf.ts'
import { isContradiction, rangeLeaf } from './range-leaf.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { count, enumerated, hasConstraint, isSchema } from './schema-keywords.ts'
import { list, typesOf, without } from './schema-keywords.ts'
import type { SchemaType } from './schema-keywords.ts'
import { checkSchemaLimits } from './schema-limits.ts'
import { inBytes, shortestLengths } from './shortest-lengths.ts'
import { stringLeaf } from './string-leaf.ts'

/** Merging `allOf` and alternatives can multiply a schema; this bounds what comes out of it. */
const compiledMax = 20_000
const depthMax = 200

export function schemaGrammar(schema: JsonSchema): GrammarNode {
  checkSchemaLimits(schema)
  const grammar = new SchemaCompiler(schema).compile(schema, 0)
  if (shortestLengths(grammar, inBytes).get(grammar) === Infinity) {
    throw new EngineError('refused', 'No value can satisfy the JSON schema.')
  }
  return grammar
}

class SchemaCompiler {
  readonly #root: JsonSchema
  readonly #references = new Map<string, GrammarNode>()
  #compiled = 0

  constructor(root: JsonSchema) {
    this.#root = root
  }

  compile(schema: unknown, depth: number): GrammarNode {
    if (++this.#compiled > compiledMax || depth > depthMax) {
      throw new EngineError('refused', 'The JSON schema is too complex to enforce.')
    }
    if (schema === false) return choice()
    if (!isSchema(schema)) return anyValue
    const { $ref, anyOf, oneOf, allOf } = schema
    if (typeof $ref === 'string') {
      const beside = without(schema, '$ref')
      if (!hasConstraint(beside)) return this.#reference($ref, depth)
      const target = this.#resolve($ref)
      return target ? this.compile(merged(target, beside), depth + 1) : anyValue
    }
    if (anyOf) return this.#alternatives(without(schema, 'anyOf'), list(anyOf), depth)
    if (oneOf) return this.#alternatives(without(schema, 'oneOf'), list(oneOf), depth)
    if (allOf) return this.#allOf(without(schema, 'allOf'), list(allOf), depth)
    const values = enumerated(schema)
    if (values) {
      return values.length ? literal(...values.map((value) => JSON.stringify(value))) : choice()
    }
    const types = typesOf(schema)
    return types ? choice(...types.map((type) => this.#typed(type, schema, depth))) : anyValue
  }

  #alternatives(base: JsonSchema, options: unknown[], depth: number): GrammarNode {
    return choice(
      ...options.map((option) =>
        this.compile(isSchema(option) ? merged(base, option) : option && base, depth + 1),
      ),
    )
  }

  #allOf(base: JsonSchema, parts: unknown[], depth: number): GrammarNode {
    let all = base
    for (const part of parts) {
      if (part === false) return choice()
      if (!isSchema(part)) continue
      const beside = without(part, '$ref')
      const target = typeof part.$ref === 'string' ? this.#resolve(part.$ref) : null
      all = merged(all, target ? merged(target, beside) : beside)
    }
    return this.compile(all, depth + 1)
  }

  #typed(type: SchemaType, schema: JsonSchema, depth: number): GrammarNode {
    switch (type) {
      case 'object':
        return this.#object(schema, depth)
      case 'array': {
        const [min, max] = [count(schema.minItems, 0), count(schema.maxItems, Infinity)]
        const plain = schema.items === undefined && min === 0 && max === Infinity
        return plain ? anyArray : arrayGrammar(this.compile(schema.items, depth + 1), min, max)
      }
      case 'string': {
        const [min, max] = [count(schema.minLength, 0), count(schema.maxLength, Infinity)]
        return min === 0 && max === Infinity ? anyString : leaf(stringLeaf(min, max))
      }
      case 'number':
      case 'integer':
        return numberGrammar(type, schema)
      case 'boolean':
        return literal('true', 'false')
      case 'null':
        return literal('null')
    }
  }

  #object(schema: JsonSchema, depth: number): GrammarNode {
    const listed = isSchema(schema.properties) ? schema.properties : {}
    const required = new Set(list(schema.required).filter((name) => typeof name === 'string'))
    const extra = schema.additionalProperties
    const names = [...new Set([...Object.keys(listed), ...required])]
    if (names.length === 0 && (extra === undefined || extra === true)) return anyObject
    const properties = names.map((name) => ({
      name,
      value: this.compile(Object.hasOwn(listed, name) ? listed[name] : (extra ?? true), depth + 1),
      required: required.has(name),
    }))
    // Without a word on other members we write none: that is valid, and what callers expect to get.
    const additional =
      extra === undefined || extra === false ? null : this.compile(extra, depth + 1)
    return objectGrammar(properties, additional)
  }

  /** One node for each reference, made before its target is compiled, so a schema may contain itself. */
  #reference(pointer: string, depth: number): GrammarNode {
    const known = this.#references.get(pointer)
    if (known) return known
    const target = this.#resolve(pointer)
    if (!target) return anyValue
    const node = reference()
    this.#references.set(pointer, node)
    node.target = this.compile(target, depth + 1)
    return node
  }

  /** Null for a schema that lives elsewhere: nothing is fetched, so nothing is enforced. */
  #resolve(pointer: string): JsonSchema | null {
    if (!pointer.startsWith('#')) return null
    const target = resolvePointer(this.#root, pointer)
    if (target === true) return {}
    if (target === false) return { enum: [] }
    if (isSchema(target)) return target
    const named = pointer.slice(0, 100)
    throw new EngineError(
      'refused',
      `The JSON schema refers to ${named}, which it does not define.`,
    )
  }
}

/** Alternatives of both sides cannot be merged at once; those of the option wait their turn in `allOf`. */
function merged(base: JsonSchema, option: JsonSchema): JsonSchema {
  const clash = ['anyOf', 'oneOf'].some((keyword) => keyword in base && keyword in option)
  if (clash || '$ref' in option) return { ...base, allOf: [...list(base.allOf), option] }
  return mergeSchemas(base, option)
}

function numberGrammar(type: 'number' | 'integer', schema: JsonSchema): GrammarNode {
  const limit = (keyword: string) => {
    const value = schema[keyword]
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
  const [minimum, above] = [limit('minimum'), limit('exclusiveMinimum')]
  const [maximum, below] = [limit('maximum'), limit('exclusiveMaximum')]
  const plain = type === 'integer' ? leaf(integerLeaf()) : anyNumber
  if ([minimum, above, maximum, below].every((value) => value === undefined)) return plain
  const min = Math.max(minimum ?? -Infinity, above ?? -Infinity)
  const max = Math.min(maximum ?? Infinity, below ?? Infinity)
  const minExcluded = above === min
  const maxExcluded = below === max
  const range = { whole: type === 'integer', min, max, minExcluded, maxExcluded }
  if (isContradiction(range)) return choice()
  const limited = rangeLeaf(range)
  // Limits too fine or too large for the digits we write are not enforced.
  return limited.minBytes < Infinity ? leaf(limited) : plain
}
