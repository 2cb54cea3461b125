// What a platform route refuses of a body, a query or a header, over HTTP: each field of each route, once. Every way in which a field
// can be wrong, and the words for it, are the contract's.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { z } from 'zod'
import type { Route } from '#contract/route.ts'
import { type RouteName, routes } from '#contract/routes.ts'
import { newId } from '#server/lib/id.ts'
import { fieldsOf, withField } from '#test/support/contract-fields.ts'
import { goodBodies } from '#test/support/platform-bodies.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const records = (routes as readonly Route[]).filter(({ path }) => path.startsWith('/api/'))
const title = ({ method, path }: Route): string => `${method} ${path}`

let hone: TestHone
let owner: Record<string, string>
before(async () => {
  hone = await testHone({ tasks: [] })
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

async function send(
  { method, path }: Route,
  { body, query = '', headers = {} }: { body?: unknown; query?: string; headers?: object },
): Promise<Answer> {
  return hone.call(method, path + query, {
    headers: { ...owner, 'idempotency-key': newId(new Date()), ...headers },
    ...(body === undefined ? {} : { body }),
  })
}

function assertNamed(answer: Answer, field: string, what: string): void {
  assert.equal(answer.status, 400, `${what}: ${answer.text}`)
  assert.equal(answer.json.error?.code, 'BAD_REQUEST')
  assert.match(answer.json.error?.message ?? '', new RegExp(`\\b${field}\\b`), what)
}

function good(record: Route): object {
  const body = goodBodies[record.name as RouteName]
  assert.ok(body, `say in platform-bodies.ts what a good body of ${record.name} is`)
  return body()
}

const withBody = records.filter(({ body }) => body)
assert.ok(withBody.length > 15)

for (const record of withBody) {
  test(`${title(record)} names what is wrong with its body`, async () => {
    for (const { path, schema } of fieldsOf(record.body as z.ZodType)) {
      const wrong = [{ x: 1 }, 7, [7]].find((value) => !schema.safeParse(value).success)
      // Rows and conversations may have any shape, and are judged one by one.
      if (wrong === undefined) continue
      const body = withField(good(record), path, wrong)
      // Sign-ins have a ceiling of their own.
      await hone.app.storage.db.deleteFrom('login_try').execute()
      assertNamed(await send(record, { body }), path.join('.'), JSON.stringify(wrong))
    }
    const tooMany = { ...good(record), 'no such field': 1 }
    assertNamed(await send(record, { body: tooMany }), 'no such field', 'too many')
    assertNamed(await send(record, { body: [] }), '^The body', 'a list')
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

  test(`${title(record)} names what is wrong with its query`, async () => {
    for (const { path, schema } of fieldsOf(record.query as z.ZodType)) {
      const name = path.join('.')
      const wrong = ['x y', '', 'x'.repeat(5000)].find((value) => !schema.safeParse(value).success)
      assert.ok(wrong !== undefined, name)
      const query = queryOf({ [name]: wrong })
      assertNamed(await send(record, { ...lines, query }), name, wrong)
      const twice = `${queryOf({ [name]: 'any' })}&${name}=any`
      assertNamed(await send(record, { ...lines, query: twice }), name, 'twice')
    }
    if (!record.rows) return
    const query = queryOf({ no_such_parameter: '1' })
    assertNamed(await send(record, { ...lines, query }), 'no_such_parameter', 'too many')
  })
}

describe('a parameter that a route does not have', () => {
  const query = '?no_such_parameter=1'
  test('is refused by every route of the platform', async () => {
    for (const record of records) {
      const answer = await send(record, { query, body: record.body && good(record) })
      assertNamed(answer, 'no_such_parameter', title(record))
    }
  })

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
