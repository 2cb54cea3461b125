// Schemas that hold side by side: what one says of all the rest binds what the other names, and merging them is bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '#server/engine/engine.ts'
import { schemaGrammar } from '#server/engine/embedded/grammar/schema-grammar.ts'
import { toolCallGrammar } from '#server/engine/embedded/grammar/tool-call-grammar.ts'
import { validates } from './validates.ts'
import { writeAtRandom } from './write-at-random.ts'

type Schema = Record<string, unknown>

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

function valuesOf(schema: Schema): unknown[] {
  return many(40, (seed) => {
    const text = writeAtRandom(schemaGrammar(schema), seed, 80)!
    const value: unknown = JSON.parse(text)
    assert.ok(validates(value, schema), `${text} for ${JSON.stringify(schema)}`)
    return value
  })
}

const boolean = { type: 'boolean' }

test('what one schema says of other members binds those that another lists', () => {
  const closed = { type: 'object', properties: { a: boolean }, additionalProperties: false }
  const open = { type: 'object', properties: { b: boolean } }
  for (const allOf of [
    [closed, open],
    [open, closed],
  ]) {
    const written = valuesOf({ allOf })
    assert.ok(written.some((value) => 'a' in (value as object)))
  }
  const texts = {
    type: 'object',
    properties: { a: boolean },
    additionalProperties: { type: 'string' },
  }
  const either = { properties: { a: boolean, b: { type: ['string', 'integer'] } }, required: ['b'] }
  for (const allOf of [
    [texts, either],
    [either, texts],
  ]) {
    for (const value of valuesOf({ allOf })) assert.equal(typeof (value as Schema).b, 'string')
  }
  valuesOf({ ...closed, anyOf: [{ properties: { b: boolean } }, { required: ['a'] }] })
})

test('two closed objects that require their own members are what both have together', () => {
  const closed = (name: string) => ({
    type: 'object',
    properties: { [name]: boolean },
    required: [name],
    additionalProperties: false,
  })
  const grammar = schemaGrammar({ allOf: [closed('a'), closed('b')] })
  for (const seed of many(20, (at) => at)) {
    const value = JSON.parse(writeAtRandom(grammar, seed, 80)!) as object
    assert.deepEqual(Object.keys(value).sort(), ['a', 'b'])
  }
  // A schema for all other members is not closed, and binds.
  const texts = { ...closed('a'), additionalProperties: { type: 'string' } }
  assert.throws(() => schemaGrammar({ allOf: [texts, closed('b')] }), /permits no value/)
})

test('closed objects of which no value could be all are closed together, in whatever order they come', () => {
  const closed = (...names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, boolean])),
    additionalProperties: false,
  })
  const a = { ...closed('a'), required: ['a'] }
  const open = { type: 'object', properties: { b: boolean } }
  const together: [Schema[], string][] = [
    // An inherited type beside one of its own, as generators write them: no member has to be there.
    [[closed('a'), closed('b')], 'a,b'],
    [[closed(), closed('a', 'b')], 'a,b'],
    [[a, { ...closed('b', 'c'), required: ['b'] }], 'a,b,c'],
    [[a, open, { required: ['b'] }], 'a,b'],
    [[a, open, { properties: { b: boolean }, required: ['b'] }], 'a,b'],
    [[closed('a'), closed('b'), { required: ['a', 'b'] }], 'a,b'],
  ]
  for (const [parts, all] of together) {
    for (const allOf of [parts, parts.toReversed()]) {
      const grammar = schemaGrammar({ type: 'object', allOf })
      const seen = new Set<string>()
      for (const seed of many(60, (at) => at)) {
        const value = JSON.parse(writeAtRandom(grammar, seed, 80)!) as object
        for (const name of Object.keys(value)) seen.add(name)
      }
      assert.equal([...seen].sort().join(), all, JSON.stringify(allOf))
    }
  }
})

test('what one schema says of all items binds those that another puts in places', () => {
  const placed = { type: 'array', prefixItems: [{ type: ['integer', 'boolean'] }, {}] }
  for (const allOf of [
    [placed, { items: boolean }],
    [{ items: boolean }, placed],
    [placed, { prefixItems: [{ type: 'integer' }], items: boolean }],
  ]) {
    for (const value of valuesOf({ allOf, maxItems: 3 })) {
      assert.equal(typeof (value as unknown[])[1], 'boolean')
    }
  }
})

test('of fixed values only those are written that fit what is said beside them', () => {
  const only = (schema: Schema) => [
    ...new Set(valuesOf(schema).map((value) => JSON.stringify(value))),
  ]
  const lists = [[], [1], [1, 2], [1, 2, 3]]
  assert.deepEqual(only({ enum: lists, minItems: 2, maxItems: 2 }), ['[1,2]'])
  const objects = [{}, { a: true }, { a: true, b: true }]
  assert.deepEqual(only({ enum: objects, required: ['b'] }), ['{"a":true,"b":true}'])
  const closed = { enum: objects, properties: { a: {} }, additionalProperties: false }
  assert.deepEqual(only({ ...closed, required: ['a'] }), ['{"a":true}'])
  assert.deepEqual(only({ enum: objects, properties: { a: false } }), ['{}'])
})

test('types that are named side by side leave those in both, and an integer is a number', () => {
  const types = (...lists: unknown[]) => ({ allOf: lists.map((type) => ({ type })) })
  const seen = (schema: Schema) =>
    new Set(valuesOf(schema).map((value) => (value === null ? 'null' : typeof value)))
  assert.deepEqual(seen(types(['string', 'null'], ['null', 'boolean'])), new Set(['null']))
  for (const value of valuesOf(types('number', ['integer', 'string'])))
    assert.ok(Number.isInteger(value))
  for (const value of valuesOf(types(['integer', 'string'], 'number')))
    assert.ok(Number.isInteger(value))
})

test('thousands of schemas side by side are refused at once, and hundreds are followed', () => {
  const sideBySide: Record<string, (at: number) => Schema> = {
    members: (at) => ({ properties: { [`p${at}`]: {} } }),
    'one member again and again': () => ({ properties: { a: {} } }),
    'names that are required': (at) => ({ required: [`p${at}`] }),
    items: () => ({ items: {} }),
    places: () => ({ prefixItems: [{}] }),
    alternatives: () => ({ anyOf: [{}] }),
  }
  for (const [what, part] of Object.entries(sideBySide)) {
    // Where merging was not counted, each of these held up everybody for ten seconds to minutes.
    assert.throws(
      () => schemaGrammar({ allOf: many(7_000, part) }),
      (error) =>
        error instanceof EngineError &&
        error.failure === 'refused' &&
        /too many combinations/.test(error.message),
      what,
    )
  }
  const properties = { allOf: many(300, (at) => ({ properties: { [`p${at}`]: boolean } })) }
  assert.ok(schemaGrammar({ type: 'object', ...properties }))
})

test('a long list of values that thousands of schemas refer to is refused at once', () => {
  const values = ['y', 'z'].map((letter) => letter.repeat(150_000))
  const name = 'k'.repeat(150_000)
  const referring: Record<string, { option: (at: number) => Schema; $defs: Schema }> = {
    'for its values': {
      option: (at) => ({ $ref: '#/$defs/values', minLength: at }),
      $defs: { values: { enum: values } },
    },
    'for what it shares with another': {
      option: (at) => ({ $ref: '#/$defs/values', enum: [`x${at}`] }),
      $defs: { values: { enum: values } },
    },
    'by a long name': {
      option: (at) => ({ $ref: '#/$defs/near', enum: [`x${at}`] }),
      $defs: { near: { $ref: `#/$defs/${name}` }, [name]: {} },
    },
  }
  for (const [what, { option, $defs }] of Object.entries(referring)) {
    // Counted as one value each, the first held up everybody for most of a minute.
    assert.throws(
      () => schemaGrammar({ anyOf: many(7_000, option), $defs }),
      (error) => error instanceof EngineError && /too many combinations/.test(error.message),
      what,
    )
  }
  const few = { anyOf: many(3, (at) => ({ $ref: '#/$defs/names', minLength: at })) }
  assert.ok(
    schemaGrammar({ ...few, $defs: { names: { enum: many(1_000, (at) => `name ${at}`) } } }),
  )
})

test('the schemas of all tools are bounded together', () => {
  const tool = (parameters: Schema) => (at: number) => ({
    name: `t${at}`,
    description: '',
    parameters,
    eager: true,
  })
  const costly = {
    properties: { x: { allOf: many(600, (at) => ({ properties: { [`p${at}`]: true } })) } },
  }
  // Each is within what one schema may take; a thousand of them took a minute.
  assert.throws(
    () => toolCallGrammar(many(1_000, tool(costly))),
    (error) => error instanceof EngineError && /too many combinations/.test(error.message),
  )
  const plain = { properties: Object.fromEntries(many(25, (at) => [`p${at}`, boolean])) }
  assert.ok(toolCallGrammar(many(1_000, tool(plain))))
})
