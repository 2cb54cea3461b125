// Every field that a platform route takes, left out or of a wrong kind, over HTTP: the answer names the field and says in
// plain words what is wrong with it. The fields are read off the contract, so that no route can be forgotten.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { z } from 'zod'
import type { Route } from '#contract/route.ts'
import { type RouteName, routes } from '#contract/routes.ts'
import { newId } from '#server/lib/id.ts'
import { goodBodies } from '#test/support/platform-bodies.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const records = (routes as readonly Route[]).filter(({ path }) => path.startsWith('/api/'))
const title = ({ method, path }: Route): string => `${method} ${path}`

let hone: TestHone
let owner: Record<string, string>
before(async () => {
  hone = await testHone()
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

async function send(
  { method, path }: Route,
  { body, query = '', headers = {} }: { body?: unknown; query?: string; headers?: object },
): Promise<Answer> {
  await hone.app.storage.db.deleteFrom('login_try').execute()
  return hone.call(method, path + query, {
    headers: { ...owner, 'idempotency-key': newId(new Date()), ...headers },
    ...(body === undefined ? {} : { body }),
  })
}

/** Words of the library that reads the schemas, which say nothing to a client. */
const strange = /undefined|nonoptional|never|invalid input|\bexpected\b|\breceived\b|NaN|\[object/i

function assertNamed(answer: Answer, field: string, what: string): void {
  assert.equal(answer.status, 400, `${what}: ${answer.text}`)
  assert.equal(answer.json.error?.code, 'BAD_REQUEST')
  const message = answer.json.error?.message ?? ''
  assert.match(message, new RegExp(`\\b${field}\\b`), what)
  assert.match(message, /^[^.]\S.*\.$/, what)
  assert.doesNotMatch(message, strange, what)
}

type Field = { path: string[]; schema: z.ZodType; required: boolean }

/** All fields of an object, those of objects inside included. */
function fieldsOf(schema: z.ZodType, at: string[] = []): Field[] {
  const object = objectIn(schema)
  if (!object) return []
  return Object.entries(object.shape).flatMap(([name, inner]): Field[] => {
    const path = [...at, name]
    const field = inner as z.ZodType
    return [
      { path, schema: field, required: !field.safeParse(undefined).success },
      ...fieldsOf(field, path),
    ]
  })
}

function objectIn(schema: z.ZodType): z.ZodObject | null {
  if (schema instanceof z.ZodObject) return schema
  if (schema instanceof z.ZodUnion) {
    return schema.options.map((one) => objectIn(one as z.ZodType)).find(Boolean) ?? null
  }
  const { innerType } = schema.def as { innerType?: z.ZodType }
  return innerType ? objectIn(innerType) : null
}

/** A copy of the body with one field set, or without it; objects on the way are made where there are none. */
function withField(body: object, [name = '', ...rest]: string[], value: unknown): object {
  const { [name]: old, ...others } = body as Record<string, unknown>
  if (rest.length > 0) {
    const inner = typeof old === 'object' && old !== null ? old : {}
    return { ...others, [name]: withField(inner, rest, value) }
  }
  return value === undefined ? others : { ...others, [name]: value }
}

function good(record: Route): object {
  const body = goodBodies[record.name as RouteName]
  assert.ok(body, `say in platform-bodies.ts what a good body of ${record.name} is`)
  return body()
}

const oneOfEachKind: unknown[] = ['', 'x y', 7, 1.5, -1, 1e300, true, null, [], [7], {}, { x: 1 }]

const withBody = records.filter(({ body }) => body)
assert.ok(withBody.length > 15)

for (const record of withBody) {
  const fields = fieldsOf(record.body as z.ZodType)

  describe(`the body of ${title(record)}`, () => {
    for (const { path, schema, required } of fields) {
      const name = path.join('.')

      if (required) {
        test(`without ${name}`, async () => {
          const body = withField(good(record), path, undefined)
          assertNamed(await send(record, { body }), name, 'left out')
        })
      }

      test(`with a wrong ${name}`, async () => {
        const wrong = oneOfEachKind.filter((value) => !schema.safeParse(value).success)
        assert.ok(wrong.length > 3 || schema.safeParse({ x: 1 }).success, 'nothing is wrong here')
        for (const value of wrong) {
          const body = withField(good(record), path, value)
          assertNamed(await send(record, { body }), name, JSON.stringify(value))
        }
      })
    }

    test('with a field too many', async () => {
      const body = { ...good(record), 'no such field': 1 }
      assertNamed(await send(record, { body }), 'no such field', 'too many')
    })

    test('that is no object', async () => {
      for (const body of [null, [], 'x', 7, true]) {
        const answer = await send(record, { body })
        assertNamed(answer, 'body', JSON.stringify(body))
        assert.match(answer.json.error?.message ?? '', /^The body /)
      }
    })
  })
}

const withQuery = records.filter(({ query }) => query)
assert.ok(withQuery.length > 5)

for (const record of withQuery) {
  // Beside a body of JSON lines, the query has the settings.
  const lines = record.rows
    ? { body: { prompt: 'Is it open?' }, headers: { 'content-type': 'application/x-ndjson' } }
    : {}
  const rest: Record<string, string> = record.name === 'importSamples' ? { source: 'a file' } : {}
  const queryOf = (fields: Record<string, string>): string =>
    `?${new URLSearchParams({ ...rest, ...fields }).toString()}`

  describe(`the query of ${title(record)}`, () => {
    for (const { path, schema } of fieldsOf(record.query as z.ZodType)) {
      const name = path.join('.')
      const wrong = ['', 'x y', '-1', '1.5', '1e300', '\0', 'x'.repeat(5000)].filter(
        (value) => !schema.safeParse(value).success,
      )

      test(`with a wrong ${name}`, async () => {
        assert.ok(wrong.length > 0, 'nothing is wrong here')
        for (const value of wrong) {
          const answer = await send(record, { ...lines, query: queryOf({ [name]: value }) })
          assertNamed(answer, name, JSON.stringify(value).slice(0, 80))
        }
      })

      test(`with ${name} twice`, async () => {
        const query = `${queryOf({ [name]: 'any' })}&${name}=any`
        assertNamed(await send(record, { ...lines, query }), name, 'twice')
      })
    }

    if (record.rows) {
      test('with a parameter too many', async () => {
        const query = queryOf({ no_such_parameter: '1' })
        assertNamed(await send(record, { ...lines, query }), 'no_such_parameter', 'too many')
      })
    }
  })
}

describe('a parameter that a route does not have', () => {
  const query = '?no_such_parameter=1'
  for (const record of records) {
    test(`is refused by ${title(record)}`, async () => {
      const answer = await send(record, { query, body: record.body && good(record) })
      assertNamed(answer, 'no_such_parameter', 'too many')
    })
  }

  test('is let through by inference, because SDKs add their own', async () => {
    assert.equal((await hone.call('GET', `/v1/models${query}`)).status, 200)
    const asked = await hone.call('POST', `/v1/messages${query}`, {
      bearer: hone.owner.key,
      body: { model: 'no/model', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] },
    })
    assert.equal(asked.status, 404, asked.text)
  })
})

test('a parameter that must be there is named when it is not', async () => {
  const record = records.find(({ name }) => name === 'importSamples')
  assert.ok(record)
  const headers = { 'content-type': 'application/x-ndjson' }
  assertNamed(await send(record, { body: {}, headers }), 'source', 'left out')
})

for (const record of records.filter((one) => one.headers)) {
  for (const { path } of fieldsOf(record.headers as z.ZodType)) {
    const name = path.join('.')
    test(`${title(record)} names the header ${name} when it is missing, empty or too long`, async () => {
      const body = good(record)
      const missing = await hone.call(record.method, record.path, { headers: owner, body })
      assertNamed(missing, name, 'left out')
      for (const value of ['', 'x'.repeat(5000)])
        assertNamed(await send(record, { body, headers: { [name]: value } }), name, value)
    })
  }
}
