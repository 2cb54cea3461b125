// The schema of an answer on its way to a server of the messages dialect: its objects are closed, and all else is as it was.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedSchema } from '#server/engine/anthropic-compatible/closed-schema.ts'
import { parseToWrite } from '#server/lib/long-numbers.ts'

const closed = { additionalProperties: false }
const object = { type: 'object', properties: { n: { type: 'number' } } }
const dictionary = { type: 'object' }
const closedObject = { ...object, ...closed }

function close(json: string): string {
  return JSON.stringify(closedSchema(parseToWrite(json) as Record<string, unknown>))
}

for (const schema of [
  object,
  { ...object, type: ['object', 'null'] },
  { properties: object.properties },
]) {
  test(`${JSON.stringify(schema)} is an object, which is closed`, () => {
    assert.deepEqual(closedSchema(schema), { ...schema, ...closed })
  })
}

for (const schema of [
  {},
  { type: 'string' },
  { type: ['string', 'null'] },
  { $ref: '#/$defs/a' },
  dictionary,
  { ...dictionary, properties: {} },
  { allOf: [object, object] },
  ...['$ref', 'allOf', 'if', 'patternProperties', 'dependentSchemas'].map((keyword) => ({
    ...object,
    [keyword]: {},
  })),
  { ...object, anyOf: [{ required: ['n'] }] },
  { ...object, additionalProperties: true },
  { ...object, additionalProperties: object },
  { ...object, additionalProperties: false },
  { const: object, enum: [object], default: { properties: object }, examples: [object] },
  { items: true, anyOf: object, properties: 1, $defs: [object], additionalProperties: true },
]) {
  test(`${JSON.stringify(schema)} stays as it is`, () => {
    assert.deepEqual(closedSchema(schema), schema)
  })
}

test('objects are closed wherever a schema stands', () => {
  for (const keyword of ['prefixItems', 'anyOf', 'oneOf']) {
    assert.deepEqual(closedSchema({ [keyword]: [object, true, { items: object }] }), {
      [keyword]: [closedObject, true, { items: closedObject }],
    })
  }
  for (const keyword of ['$defs', 'definitions', 'properties']) {
    const { [keyword]: found } = closedSchema({ [keyword]: { properties: object, enum: object } })
    assert.deepEqual(found, { properties: closedObject, enum: closedObject })
  }
})

test('the schema of the caller is not touched', () => {
  const schema = { ...object, properties: { a: object, b: { anyOf: [object] } } }
  const before = JSON.stringify(schema)
  closedSchema(schema)
  assert.equal(JSON.stringify(schema), before)
})

test('properties keep their order and names, and numbers their digits', () => {
  const long = '12345678901234567890'
  for (const [json, written] of [
    [
      `{"properties":{"z":{"maximum":${long}},"__proto__":{"properties":{"b":{}}},"a":{"const":-${long}}},"type":"object"}`,
      `{"properties":{"z":{"maximum":${long}},"__proto__":{"properties":{"b":{}},"additionalProperties":false},"a":{"const":-${long}}},"type":"object","additionalProperties":false}`,
    ],
    [`{"items":${long},"anyOf":[${long}]}`],
    [`{"$defs":${long},"definitions":{"a":${long}}}`],
  ] as [string, string?][]) {
    assert.equal(close(json), written ?? json)
  }
})
