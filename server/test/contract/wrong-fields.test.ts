// Every field that a platform route takes, left out or of a wrong kind: the refusal names the field and says in plain words what
// is wrong with it. The fields are read off the contract, so that no route can be forgotten.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { z } from 'zod'
import type { Route } from '#contract/route.ts'
import { type RouteName, routes } from '#contract/routes.ts'
import { readPart } from '#server/core/read-part.ts'
import { Refusal } from '#server/core/refusal.ts'
import { fieldsOf, oddValues, withField } from '#test/support/contract-fields.ts'
import { goodBodies } from '#test/support/platform-bodies.ts'

const records = (routes as readonly Route[]).filter(({ path }) => path.startsWith('/api/'))

/** Words of the library that reads the schemas, which say nothing to a client. */
const strange = /undefined|nonoptional|never|invalid input|\bexpected\b|\breceived\b|NaN|\[object/i

function assertNamed(schema: z.ZodType, value: unknown, where: string, field: string): void {
  const what = JSON.stringify(value).slice(0, 200)
  try {
    readPart(schema, value, where)
  } catch (error) {
    assert.ok(error instanceof Refusal, what)
    assert.equal(error.code, 'BAD_REQUEST')
    assert.match(error.message, new RegExp(`\\b${field}\\b`), what)
    assert.match(error.message, /^[^.]\S.*\.$/, what)
    return assert.doesNotMatch(error.message, strange, what)
  }
  assert.fail(`it is taken: ${what}`)
}

function good({ name }: Route): object {
  const body = goodBodies[name as RouteName]
  assert.ok(body, `say in platform-bodies.ts what a good body of ${name} is`)
  return body()
}

for (const record of records.filter(({ body }) => body)) {
  const body = record.body as z.ZodType

  describe(`the body of ${record.method} ${record.path}`, () => {
    for (const { path, schema, required } of fieldsOf(body)) {
      const name = path.join('.')

      test(`with a wrong ${name}${required ? ', or without it' : ''}`, () => {
        const wrong = oddValues.filter((value) => !schema.safeParse(value).success)
        assert.ok(wrong.length > 3 || schema.safeParse({ x: 1 }).success, 'nothing is wrong here')
        for (const value of wrong)
          assertNamed(body, withField(good(record), path, value), 'body', name)
        if (required) assertNamed(body, withField(good(record), path, undefined), 'body', name)
      })
    }

    test('with a field too many, or that is no object', () => {
      assertNamed(body, { ...good(record), 'no such field': 1 }, 'body', 'no such field')
      for (const value of [null, [], 'x', 7, true]) assertNamed(body, value, 'body', 'The body')
    })
  })
}

for (const record of records.filter(({ query }) => query)) {
  const query = record.query as z.ZodType

  describe(`the query of ${record.method} ${record.path}`, () => {
    for (const { path, schema } of fieldsOf(query)) {
      const name = path.join('.')
      test(`with a wrong ${name}, or with two`, () => {
        const texts = ['', 'x y', '-1', '1.5', '1e300', '\0', 'x'.repeat(5000)]
        const wrong = texts.filter((value) => !schema.safeParse(value).success)
        assert.ok(wrong.length > 0, 'nothing is wrong here')
        for (const value of [...wrong, ['any', 'any']])
          assertNamed(query, { [name]: value }, 'query', name)
      })
    }
  })
}
