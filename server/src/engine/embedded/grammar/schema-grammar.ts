// A JSON schema as a grammar. Keywords that a grammar cannot hold (pattern, format, uniqueItems, not, …) are
// left out: the text is then valid for all the rest. `oneOf` is read as `anyOf`.
import { flatSchema, optionsOf } from './flat-schema.ts'
import type { FlatSchema } from './flat-schema.ts'
import { choice, leaf, literal, reference } from './grammar-node.ts'
import type { GrammarNode } from './grammar-node.ts'
import { anyNumber, anyObject, anyString, anyValue } from './json-grammar.ts'
import { arrayGrammar, objectGrammar } from './json-grammar.ts'
import type { Spend } from './merge-schemas.ts'
import type { JsonSchema } from './schema-keywords.ts'
import { integerLeaf } from './number-leaf.ts'
import { isContradiction, rangeLeaf } from './range-leaf.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { count, enumerated, hasConstraint, isSchema } from './schema-keywords.ts'
import { list, numberLimits, textLength, typesOf, without } from './schema-keywords.ts'
import type { SchemaType } from './schema-keywords.ts'
import { answerSchema, checkSchemaLimits, refusal } from './schema-limits.ts'
import type { SchemaPlace } from './schema-limits.ts'
import { inBytes, shortestLengths } from './shortest-lengths.ts'
import { stringLeaf } from './string-leaf.ts'

/** Alternatives that hold at the same time multiply; this bounds what comes of it, in schemas, parts and properties. */
const workMax = 50_000
/** Merged schemas are told apart by their text; so much of it counts as one. */
const charactersOfWork = 64
/** And so many members, values or parts that are merged. */
const entriesOfWork = 8

/** What is left for several schemas together. */
export type SharedWork = { left: number }

/** `beside` is asked for as well, whatever the schema says. */
export function schemaGrammar(
  schema: JsonSchema,
  place: SchemaPlace = answerSchema,
  { beside, shared = { left: workMax } }: { beside?: JsonSchema; shared?: SharedWork } = {},
): GrammarNode {
  checkSchemaLimits(schema, place)
  const grammar = new SchemaCompiler(schema, place, shared).compileAll(
    beside ? { allOf: [schema, beside] } : schema,
  )
  if (shortestLengths(grammar, inBytes).get(grammar) === Infinity) {
    throw refusal(
      place,
      'permits no value at all; check it for conditions that exclude each other.',
    )
  }
  return grammar
}

/**
 * Every schema becomes one node, made before its target is compiled. So a schema may contain itself, and what comes
 * up a thousand times is compiled once.
 */
class SchemaCompiler {
  readonly #root: JsonSchema
  readonly #place: SchemaPlace
  readonly #shared: SharedWork
  readonly #nodes = new Map<JsonSchema, GrammarNode & { kind: 'reference' }>()
  /** Schemas that are not in the document but were merged from it, by their text. */
  readonly #merged = new Map<string, JsonSchema>()
  #work = 0
  readonly #due: JsonSchema[] = []
  readonly #spendEntries: Spend = (entries) => this.#spend(entries / entriesOfWork)

  constructor(root: JsonSchema, place: SchemaPlace, shared: SharedWork) {
    this.#root = root
    this.#place = place
    this.#shared = shared
  }

  compileAll(asked: JsonSchema): GrammarNode {
    const grammar = this.#node(asked)
    for (let schema = this.#due.pop(); schema; schema = this.#due.pop()) {
      this.#nodes.get(schema)!.target = this.#compile(schema)
    }
    return grammar
  }

  #node(schema: unknown): GrammarNode {
    if (schema === false) return choice()
    if (!isSchema(schema)) return anyValue
    const known = this.#nodes.get(schema)
    if (known) return known
    this.#spend(1)
    const node = reference()
    this.#nodes.set(schema, node)
    this.#due.push(schema)
    return node
  }

  /** The node of a schema that may have been put together just now, as it was perhaps before. */
  #mergedNode(schema: unknown): GrammarNode {
    if (!isSchema(schema) || this.#nodes.has(schema)) return this.#node(schema)
    const text = JSON.stringify(schema)
    this.#spend(text.length / charactersOfWork)
    const known = this.#merged.get(text)
    if (!known) this.#merged.set(text, schema)
    return this.#node(known ?? schema)
  }

  #compile(schema: JsonSchema): GrammarNode {
    const { $ref } = schema
    if (typeof $ref === 'string' && !hasConstraint(without(schema, '$ref'))) {
      return this.#node(this.#resolve($ref) ?? true)
    }
    const flat = this.#flat(schema)
    if (!flat) return choice()
    const { plain, alternatives, parts } = flat
    this.#spend(parts)
    if (alternatives.length > 0) return this.#anyOf(optionsOf(flat, this.#spendEntries))
    const values = this.#enumerated(plain)
    if (values) {
      return values.length ? literal(...values.map((value) => JSON.stringify(value))) : choice()
    }
    const types = typesOf(plain)
    return types ? choice(...types.map((type) => this.#typed(type, plain))) : anyValue
  }

  /** Fixed values become one set of texts: ten thousand of them side by side would be followed one by one. */
  #anyOf(options: unknown[]): GrammarNode {
    const texts: string[] = []
    const nodes: GrammarNode[] = []
    for (const option of options) {
      const listed = isSchema(option) && ('const' in option || 'enum' in option)
      const fixed = listed ? this.#fixedValues(option) : null
      if (fixed) for (const value of fixed) texts.push(JSON.stringify(value))
      else nodes.push(this.#mergedNode(option))
    }
    return texts.length > 0 ? choice(literal(...texts), ...nodes) : choice(...nodes)
  }

  #fixedValues(schema: JsonSchema): unknown[] | null {
    this.#spend(1)
    const flat = this.#flat(schema)
    return flat && flat.alternatives.length === 0 ? this.#enumerated(flat.plain) : null
  }

  /** A list that many schemas refer to is looked through for each of them. */
  #enumerated(plain: JsonSchema): unknown[] | null {
    this.#spend(textLength(list(plain.enum)) / charactersOfWork)
    return enumerated(plain)
  }

  #flat(schema: JsonSchema): FlatSchema | null {
    return flatSchema(schema, (pointer) => this.#resolve(pointer), this.#spendEntries)
  }

  #typed(type: SchemaType, schema: JsonSchema): GrammarNode {
    switch (type) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return this.#array(schema)
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

  #object(schema: JsonSchema): GrammarNode {
    const listed = isSchema(schema.properties) ? schema.properties : {}
    const required = new Set(list(schema.required).filter((name) => typeof name === 'string'))
    const extra = schema.additionalProperties
    const names = [...new Set([...Object.keys(listed), ...required])]
    // Without a word on any member it is any object; a list of none, as tools without parameters have it, is empty.
    const isFree = extra === undefined && !isSchema(schema.properties)
    if (names.length === 0 && (isFree || extra === true)) return anyObject
    this.#spend(names.length)
    const properties = names.map((name) => ({
      name,
      value: this.#mergedNode(Object.hasOwn(listed, name) ? listed[name] : (extra ?? true)),
      required: required.has(name),
    }))
    // Without a word on other members we write none: that is valid, and what callers expect to get.
    const additional = extra === undefined || extra === false ? null : this.#mergedNode(extra)
    return objectGrammar(properties, additional)
  }

  #array(schema: JsonSchema): GrammarNode {
    const prefix = list(schema.prefixItems)
    const max = count(schema.maxItems, Infinity)
    // Without a word on the length, a tuple is written whole, as those who read it expect.
    const whole = prefix.includes(false) ? prefix.indexOf(false) : prefix.length
    const min = count(schema.minItems, Math.min(whole, max))
    const needed = prefix.slice(0, max)
    // Nor does a tuple go on where nobody said that it may.
    const ends = schema.items === undefined && prefix.length > 0 && min <= prefix.length
    return arrayGrammar(
      needed.map((item) => this.#mergedNode(item)),
      ends ? choice() : this.#mergedNode(schema.items ?? true),
      min,
      max,
    )
  }

  /** Null for a schema that lives elsewhere: nothing is fetched, so nothing is enforced. */
  #resolve(pointer: string): JsonSchema | null {
    if (!pointer.startsWith('#')) return null
    this.#spend(pointer.length / charactersOfWork)
    const target = resolvePointer(this.#root, pointer)
    if (target === true) return {}
    if (target === false) return { enum: [] }
    if (isSchema(target)) return target
    throw refusal(
      this.#place,
      `refers to ${pointer.slice(0, 100)}, which it does not define; add it or name another.`,
    )
  }

  #spend(work: number): void {
    this.#work += work
    this.#shared.left -= work
    if (this.#work <= workMax && this.#shared.left >= 0) return
    throw refusal(
      this.#place,
      'has too many combinations of alternatives; use fewer of anyOf, oneOf and allOf, or nest them less.',
    )
  }
}

function numberGrammar(type: 'number' | 'integer', schema: JsonSchema): GrammarNode {
  const limits = numberLimits(schema)
  const plain = type === 'integer' ? leaf(integerLeaf()) : anyNumber
  if (limits.min === -Infinity && limits.max === Infinity) return plain
  const range = { whole: type === 'integer', ...limits }
  if (isContradiction(range)) return choice()
  const limited = rangeLeaf(range)
  // Limits too fine or too large for the digits we write are not enforced.
  return limited.minBytes < Infinity ? leaf(limited) : plain
}
