// Whatever the model prefers, text written under a schema's grammar parses and is valid.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EngineError } from '#server/engine/engine.ts'
import type { GrammarNode } from '#server/engine/embedded/grammar/grammar-node.ts'
import { anyObject } from '#server/engine/embedded/grammar/json-grammar.ts'
import { schemaGrammar } from '#server/engine/embedded/grammar/schema-grammar.ts'
import { TokenGrammar } from '#server/engine/embedded/grammar/token-grammar.ts'
import { toyTrie } from './toy-vocabulary.ts'
import { validates } from './validates.ts'
import { tooMuch, writeAtRandom } from './write-at-random.ts'

const name = fc.constantFrom('a', 'ab', 'name', 'na"me', 'é', '')
const bounds = (low: string, high: string, max: number) =>
  fc.tuple(fc.nat(max), fc.nat(max), fc.nat(3)).map(([a, b, which]) => ({
    ...(which & 1 ? { [low]: Math.min(a, b) } : {}),
    ...(which & 2 ? { [high]: Math.max(a, b) } : {}),
  }))

const { schema } = fc.letrec<{ schema: Record<string, unknown>; leaf: Record<string, unknown> }>(
  (tie) => ({
    leaf: fc.oneof(
      fc.constantFrom(
        {},
        { type: 'null' },
        { type: 'boolean' },
        { type: 'string' },
        { type: 'number' },
      ),
      fc.constantFrom({ type: ['integer', 'null'] }, { $ref: '#/$defs/tree' }, { format: 'date' }),
      bounds('minLength', 'maxLength', 12).map((limits) => ({ type: 'string', ...limits })),
      bounds('minimum', 'maximum', 400).map((limits) => ({ type: 'integer', ...limits })),
      bounds('exclusiveMinimum', 'maximum', 50).map((limits) => ({ type: 'number', ...limits })),
      fc
        .uniqueArray(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 4 })
        .map((values) => ({ enum: values })),
      fc.jsonValue({ maxDepth: 2 }).map((value) => ({ const: value })),
    ),
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      tie('leaf'),
      fc
        .tuple(
          fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
          fc.option(fc.oneof(fc.boolean(), tie('leaf'))),
          bounds('minItems', 'maxItems', 4),
          fc.boolean(),
        )
        .map(([placed, others, limits, old]) => ({
          type: 'array',
          [old ? 'items' : 'prefixItems']: placed,
          ...(others === null ? {} : { [old ? 'additionalItems' : 'items']: others }),
          ...limits,
        })),
      fc
        .tuple(tie('schema'), bounds('minItems', 'maxItems', 3))
        .map(([items, limits]) => ({ type: 'array', items, ...limits })),
      fc
        .tuple(
          fc.dictionary(name, tie('schema'), { maxKeys: 4 }),
          fc.uniqueArray(name, { maxLength: 3 }),
          fc.option(fc.oneof(fc.boolean(), tie('leaf'))),
        )
        .map(([properties, required, extra]) => ({
          type: 'object',
          properties,
          required: required.filter((key) => extra !== false || key in properties),
          ...(extra === null ? {} : { additionalProperties: extra }),
        })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    ),
  }),
)

const tree = {
  type: 'object',
  properties: {
    value: { type: 'integer' },
    left: { $ref: '#/$defs/tree' },
    right: { $ref: '#/$defs/tree' },
  },
  required: ['value'],
  additionalProperties: false,
}

test('random preferences under a random schema give valid JSON within the token limit', () => {
  let written = 0
  fc.assert(
    fc.property(schema, fc.nat(), (inner, seed) => {
      const whole = { ...inner, $defs: { tree } }
      let grammar: GrammarNode
      try {
        grammar = schemaGrammar(whole)
      } catch (error) {
        assert.ok(error instanceof EngineError && error.failure === 'refused', String(error))
        return
      }
      const text = writeAtRandom(grammar, seed, 150)
      if (text === null) return
      written++
      assert.ok(validates(JSON.parse(text), whole), text)
    }),
    { numRuns: 400 },
  )
  assert.ok(written > 200, `only ${written} schemas could be written`)
})

test('any JSON object parses, whatever the model prefers', () => {
  for (let seed = 0; seed < 200; seed++) {
    const value: unknown = JSON.parse(writeAtRandom(anyObject, seed, 60)!)
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value))
  }
})

test('numbers stay inside limits that share few digits', () => {
  const cases = [
    { type: 'integer', minimum: 98, maximum: 1002 },
    { type: 'integer', minimum: -1002, maximum: -98 },
    { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 2 },
    { type: 'integer', minimum: -3, maximum: 3 },
    { type: 'number', exclusiveMinimum: 0, maximum: 0.01 },
    { type: 'number', minimum: -0.25, exclusiveMaximum: -0.125 },
    { type: 'number', minimum: 1e300 },
  ]
  for (const limited of cases.slice(0, -1)) {
    for (let seed = 0; seed < 50; seed++) {
      const text = writeAtRandom(schemaGrammar(limited), seed, 40)!
      assert.ok(validates(JSON.parse(text), limited), `${text} for ${JSON.stringify(limited)}`)
    }
  }
  assert.ok(
    writeAtRandom(schemaGrammar(cases.at(-1)!), 1, 40),
    'limits beyond our digits are not enforced',
  )
})

test('whatever the limits of a number are, writing one never gets stuck', () => {
  const limit = fc.option(
    fc.oneof(
      fc.double({ noNaN: true }),
      fc.double({ min: -20, max: 20 }),
      fc.integer(),
      fc.maxSafeInteger(),
    ),
    { nil: undefined },
  )
  const limits = fc.record({
    type: fc.constantFrom('integer', 'number'),
    minimum: limit,
    maximum: limit,
    exclusiveMinimum: limit,
    exclusiveMaximum: limit,
  })
  fc.assert(
    fc.property(limits, fc.nat(), (limited, seed) => {
      let grammar: GrammarNode
      try {
        grammar = schemaGrammar(limited)
      } catch {
        return
      }
      assert.ok(Number.isFinite(JSON.parse(writeAtRandom(grammar, seed, 40)!)))
    }),
    { numRuns: 300 },
  )
})

test('allOf, and alternatives beside other keywords, are all honoured', () => {
  const cases = [
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
      ],
    },
    {
      type: 'object',
      properties: { k: { enum: ['x', 'y'] } },
      required: ['k'],
      anyOf: [
        { properties: { p: { type: 'null' } }, required: ['p'] },
        { properties: { q: { type: 'boolean' } }, required: ['q'] },
      ],
    },
    {
      allOf: [
        { anyOf: [{ minLength: 3 }, { minLength: 5 }] },
        { anyOf: [{ maxLength: 4 }, { maxLength: 6 }] },
      ],
      type: 'string',
    },
    { $ref: '#/$defs/s', minLength: 4, $defs: { s: { type: 'string', maxLength: 5 } } },
    {
      oneOf: [{ $ref: '#/$defs/s' }, { $ref: '#/$defs/n' }],
      $defs: { s: { type: 'string', maxLength: 5 }, n: { type: 'integer', minimum: 7 } },
    },
  ]
  for (const composed of cases) {
    for (let seed = 0; seed < 30; seed++) {
      const text = writeAtRandom(schemaGrammar(composed), seed, 80)!
      assert.ok(validates(JSON.parse(text), composed), `${text} for ${JSON.stringify(composed)}`)
    }
  }
})

test('a property that is not listed cannot take the name of one that is', () => {
  const listed = {
    type: 'object',
    properties: { a: { type: 'integer' }, ab: { type: 'integer' } },
    additionalProperties: { type: 'string' },
  }
  for (let seed = 0; seed < 300; seed++) {
    assert.ok(validates(JSON.parse(writeAtRandom(schemaGrammar(listed), seed, 60)!), listed))
  }
})

const deep = (levels: number): Record<string, unknown> =>
  levels === 0 ? { type: 'null' } : { type: 'array', items: deep(levels - 1) }

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

test('schemas that cannot be met or are too large are refused with a sentence', () => {
  const refused: [Record<string, unknown>, RegExp][] = [
    [{ enum: [] }, /no value/],
    [{ anyOf: [] }, /no value/],
    [{ $ref: '#' }, /no value/],
    [{ type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }, /no value/],
    [{ type: 'object', properties: { a: false }, required: ['a'] }, /no value/],
    [{ type: 'array', items: { type: 'null' }, minItems: 3, maxItems: 2 }, /no value/],
    [{ type: 'array', prefixItems: [{}], items: false, minItems: 2 }, /no value/],
    [{ type: 'integer', minimum: 5, maximum: 4 }, /no value/],
    [{ type: 'integer', minimum: 5, exclusiveMaximum: true, maximum: 5 }, /no value/],
    [{ allOf: [{ const: 1 }, { const: 2 }] }, /no value/],
    [{ allOf: [{ type: 'string' }, { type: 'null' }] }, /no value/],
    [{ enum: ['a', 'b'], minLength: 2 }, /no value/],
    [{ $ref: '#/$defs/gone' }, /#\/\$defs\/gone/],
    [{ $ref: '#name' }, /#name/],
    [deep(100), /96 levels deep/],
    [{ enum: many(40_000, (index) => index) }, /30,000 values/],
    [{ description: 'x'.repeat(600_000) }, /characters/],
    [
      {
        type: 'object',
        allOf: many(20, (at) => ({
          anyOf: [{ required: [`a${at}`] }, { required: [`b${at}`] }],
        })),
      },
      /too many combinations/,
    ],
  ]
  for (const [unmet, sentence] of refused) {
    assert.throws(
      () => schemaGrammar(unmet),
      (error) => {
        assert.ok(error instanceof EngineError, String(error))
        assert.equal(error.failure, 'refused')
        assert.equal(error.param, 'response_format')
        assert.match(error.message, /^The JSON schema [^.]*\.$/)
        return sentence.test(error.message)
      },
      JSON.stringify(unmet).slice(0, 100),
    )
  }
})

test('keywords with values that they cannot have count as not set', () => {
  const odd = fc.jsonValue({ maxDepth: 2 })
  const keywords = [
    ...['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items'],
    ...['prefixItems', 'additionalItems', 'minItems', 'maxItems', 'minLength', 'maxLength'],
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'anyOf', 'oneOf', 'allOf'],
    ...['$ref', '$defs', 'not', 'pattern', 'constructor', '__proto__'],
  ]
  const some = fc
    .array(fc.tuple(fc.constantFrom(...keywords), odd), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries))
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 3 }), fc.nat(), (allOf, seed) => {
      let grammar: GrammarNode
      try {
        grammar = schemaGrammar({ allOf })
      } catch (error) {
        assert.ok(error instanceof EngineError && error.failure === 'refused', String(error))
        return
      }
      const text = writeAtRandom(grammar, seed, 60)
      if (text !== null) JSON.parse(text)
    }),
    { numRuns: 500, seed: 1 },
  )
})

test('a tuple is written whole, and goes on only where that was said', () => {
  const placed = [{ type: 'string' }, { type: 'integer' }]
  const lengths = (tuple: Record<string, unknown>) => {
    const found = new Set<number>()
    for (let seed = 0; seed < 60; seed++) {
      const text = writeAtRandom(schemaGrammar({ type: 'array', ...tuple }), seed, 80)!
      const value = JSON.parse(text) as unknown[]
      assert.ok(validates(value, tuple), text)
      found.add(value.length)
    }
    return [...found].sort()
  }
  assert.deepEqual(lengths({ prefixItems: placed }), [2])
  assert.deepEqual(lengths({ items: placed }), [2])
  assert.deepEqual(lengths({ prefixItems: placed, items: false, minItems: 1 }), [1, 2])
  assert.deepEqual(lengths({ prefixItems: placed, maxItems: 1 }), [1])
  assert.deepEqual(lengths({ prefixItems: [...placed, false] }), [2])
  assert.deepEqual(lengths({ prefixItems: placed, items: { type: 'null' }, maxItems: 3 }), [2, 3])
  assert.deepEqual(
    lengths({ items: placed, additionalItems: { type: 'null' }, minItems: 4 }).at(0),
    4,
  )
  assert.deepEqual(lengths({ prefixItems: placed, minItems: 3, maxItems: 3 }), [3])
})

test('what refers back to itself through other keywords is followed', () => {
  const tree = (kids: object) => ({
    type: 'object',
    properties: { value: { type: 'integer' }, kids: { type: 'array', items: kids, minItems: 1 } },
    required: ['value'],
    additionalProperties: false,
  })
  const within: Record<string, unknown>[] = [
    tree({ allOf: [{ $ref: '#' }], description: 'a child' }),
    tree({ $ref: '#', type: 'object' }),
    tree({ allOf: [{ $ref: '#' }, { required: ['kids'] }], maxProperties: 3 }),
    { allOf: [{ $ref: '#' }], type: 'string' },
  ]
  for (const recursive of within) {
    for (let seed = 0; seed < 30; seed++) {
      const text = writeAtRandom(schemaGrammar(recursive), seed, 60)
      if (text !== null && recursive.type === 'object')
        assert.ok(validates(JSON.parse(text), recursive), text)
    }
  }
})

test('alternatives that begin alike add up and do not multiply', () => {
  let nested: Record<string, unknown> = { type: 'null' }
  for (let level = 0; level < 20; level++) {
    nested = {
      type: 'object',
      properties: { a: nested, b: { type: 'null' }, c: { type: 'null' } },
      anyOf: [{ required: ['a', 'b'] }, { required: ['a', 'c'] }],
    }
  }
  const list = (maxItems: number) => ({ type: 'array', items: { $ref: '#' }, maxItems })
  const lists = { anyOf: [list(3), list(4), list(5), { type: 'null' }] }
  for (const [ambiguous, text] of [
    [nested, `${'{"a":'.repeat(20)}null${',"c":null}'.repeat(20)}`],
    [lists, `${'['.repeat(300)}null${']'.repeat(300)}`],
  ] as const) {
    const run = new TokenGrammar(schemaGrammar(ambiguous), toyTrie, tooMuch).begin()
    for (const byte of Buffer.from(text)) {
      run.allowed()
      assert.ok(run.write(Uint8Array.of(byte)))
    }
    assert.ok(run.complete)
  }
})

test('one of ten thousand values is written as easily as one of two', () => {
  const values = many(10_000, (index) => `value ${index}`)
  for (const large of [{ enum: values }, { anyOf: values.map((value) => ({ const: value })) }]) {
    const text = writeAtRandom(schemaGrammar(large), 5, 40)!
    assert.ok(values.includes(JSON.parse(text) as string), text)
  }
  const mixed = { anyOf: [...values.map((value) => ({ const: value })), { type: 'boolean' }] }
  const run = new TokenGrammar(schemaGrammar(mixed), toyTrie, tooMuch).begin()
  assert.ok(run.write(Buffer.from('tr')), 'other alternatives stay beside fixed values')
  const shared = { allOf: [{ enum: values }, { enum: values.slice(9_999) }] }
  assert.equal(writeAtRandom(schemaGrammar(shared), 5, 40), '"value 9999"')
})

test('names that every object has are names like others', () => {
  const properties = JSON.parse(
    '{"__proto__": {"type": "null"}, "constructor": {"type": "null"}}',
  ) as object
  const odd = {
    allOf: [{ properties }, { type: 'object', required: ['__proto__', 'constructor'] }],
  }
  const text = writeAtRandom(schemaGrammar(odd), 3, 60)!
  assert.match(text, /"__proto__":\s*null,\s*"constructor":\s*null/)
})

test('wide and recursive schemas compile and run without blowing up', () => {
  const wide = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    ),
  }
  const exclusive = {
    anyOf: Array.from({ length: 200 }, (_, index) => ({
      type: 'object',
      properties: { kind: { const: `k${index}` }, next: { $ref: '#' } },
      required: ['kind'],
    })),
  }
  const long = { enum: ['x'.repeat(200_000), 'short'] }
  for (const large of [wide, exclusive, long]) {
    assert.ok(validates(JSON.parse(writeAtRandom(schemaGrammar(large), 1, 200)!), large))
  }
})

test('white space is bounded', () => {
  const run = new TokenGrammar(anyObject, toyTrie, tooMuch).begin()
  assert.ok(run.write(Buffer.from('{')))
  assert.ok(!run.write(Buffer.from(' ')))
  assert.ok(!run.write(Buffer.from('\n\n')))
  assert.ok(!run.write(Buffer.from(`\n${' '.repeat(40)}`)))
  assert.ok(run.write(Buffer.from('\n  "a": [1, 2,\n3],"b":2\n}')))
  assert.ok(run.ended)
})

test('after a colon or a comma one blank is enough', () => {
  for (const text of ['{"a":  1', '{"a": 1,  ', '{"a" :', '{"a": [1 ,']) {
    assert.ok(!new TokenGrammar(anyObject, toyTrie, tooMuch).begin().write(Buffer.from(text)), text)
  }
})
