// Input made to break in or to break something: SQL in every place a client can write to, keys that are almost
// somebody's, and bodies of every shape. Nothing here is ever answered with a 500.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { platformBodyBytesMax } from '#contract/limits.ts'
import type { Route } from '#contract/route.ts'
import { type RouteName, routes } from '#contract/routes.ts'
import { scopes } from '#contract/scopes.ts'
import { insertKey } from '#server/account/api-key-store.ts'
import { hashKeySecret } from '#server/account/key-secret.ts'
import { newId } from '#server/lib/id.ts'
import { addPerson, createKey, type Person } from '#test/support/accounts.ts'
import { oddValues } from '#test/support/contract-fields.ts'
import { goodBodies } from '#test/support/platform-bodies.ts'
import { rawHttp } from '#test/support/raw-http.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const records = routes as readonly Route[]
const withBody = records.filter((record) => record.body && record.path.startsWith('/api/'))
const lists = records.filter((record) => record.query && record.method === 'GET')

let hone: TestHone
let owner: Record<string, string>
before(async () => {
  hone = await testHone()
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

const forgetTries = async (): Promise<void> => {
  await hone.app.storage.db.deleteFrom('login_try').execute()
}
beforeEach(forgetTries)

/** What a list of rows is called in its answer, and in its cursors. */
const listName = ({ response }: Route): string =>
  response instanceof z.ZodObject ? (Object.keys(response.shape)[0] ?? '') : ''

const title = (record: Route): string => `${record.method} ${record.path}`

async function send(record: Route, raw: string | Uint8Array<ArrayBuffer>): Promise<Answer> {
  const ask = async (): Promise<Answer> => {
    await forgetTries()
    return hone.call(record.method, record.path, {
      headers: {
        ...owner,
        'idempotency-key': newId(new Date()),
        'content-type': 'application/json',
      },
      raw,
    })
  }
  let answer = await ask()
  // A machine that stands still for seconds may say so, and then say something else.
  for (let again = 0; answer.status === 503 && again < 3; again++) answer = await ask()
  assert.ok(answer.status < 500, `${title(record)} ${String(raw)}: ${answer.text}`)
  assert.notEqual(answer.status, 429)
  return answer
}

const sendJson = (record: Route, body: unknown): Promise<Answer> =>
  send(record, JSON.stringify(body))

function good(record: Route): Record<string, unknown> {
  const body = goodBodies[record.name as RouteName]
  assert.ok(body, `say in platform-bodies.ts what a good body of ${record.name} is`)
  return body()
}

const injections = [
  "'",
  "' or '1'='1",
  "'; drop table org; --",
  "' union select secret_hash from api_key --",
  '" or ""="',
  '\\',
  "\\'; select pg_sleep(9); --",
  '$1',
  '$$; --',
  '%',
  '_',
  '%27%20or%201=1',
  '/* */',
  '1; select 1',
  '{"$gt":""}',
  '${7*7}',
  '../../etc/passwd',
]
/** As long as the other one, and harmless. */
const harmless = (text: string): string => 'x'.repeat(text.length)

describe('SQL in a header', () => {
  const headers: [name: string, path: string, base: () => Record<string, string>][] = [
    ['x-api-key', '/api/wallet', () => ({})],
    ['authorization', '/api/wallet', () => ({})],
    ['authorization', '/v1/chat/completions', () => ({})],
    ['x-org-id', '/api/wallet', () => owner],
    ['x-workspace-id', '/api/wallet', () => owner],
    ['x-workspace-id', '/api/wallet', () => ({ 'x-api-key': hone.owner.key })],
    ['x-request-id', '/api/wallet', () => owner],
    ['user-agent', '/api/wallet', () => owner],
    ['anthropic-version', '/v1/models', () => ({})],
    ['idempotency-key', '/api/wallet/top-ups', () => owner],
  ]
  for (const [name, path, base] of headers) {
    test(`${name} on ${path} is answered like any other value`, async () => {
      for (const text of injections) {
        const ask = (value: string): Promise<Answer> => {
          const value_ = name === 'authorization' ? `Bearer ${value}` : value
          const post = /chat|top-ups/.test(path)
          return hone.call(post ? 'POST' : 'GET', path, {
            headers: { ...base(), [name]: value_ },
            ...(post ? { body: { amount_usd: '1' } } : {}),
          })
        }
        const [bad, plain] = [await ask(text), await ask(harmless(text))]
        assert.equal(bad.status, plain.status, `${text}: ${bad.text}`)
        assert.ok(bad.status < 500)
      }
    })
  }
})

describe('SQL in an address', () => {
  test('as id or slug is answered like any other', async () => {
    for (const text of injections) {
      const part = encodeURIComponent(text)
      const key = await hone.call('DELETE', `/api/api-keys/${part}`, { headers: owner })
      assert.equal(key.status, 404, text)
      assert.equal((await hone.call('GET', `/v1/models/${part}`)).status, 404, text)
      assert.equal((await hone.call('GET', `/${part}`)).status, 404, text)
    }
    for (const odd of ['%00', '%0a', '%ff', '%c3%28', '%2e%2e%2f', 'x'.repeat(250)]) {
      const key = await hone.call('DELETE', `/api/api-keys/${odd}`, { headers: owner })
      assert.ok([400, 404].includes(key.status), `${odd}: ${key.text}`)
      const model = await hone.call('GET', `/v1/models/${odd}`)
      assert.ok([400, 404].includes(model.status), `${odd}: ${model.text}`)
    }
  })

  for (const record of lists) {
    test(`as cursor, limit or name of a parameter of ${record.path} is 400`, async () => {
      for (const text of injections) {
        const encoded = Buffer.from(`${listName(record)}:${text}`).toString('base64url')
        for (const query of [
          `cursor=${encodeURIComponent(text)}`,
          `cursor=${encoded}`,
          `limit=${encodeURIComponent(text)}`,
          `${encodeURIComponent(text)}=1`,
        ]) {
          const answer = await hone.call('GET', `${record.path}?${query}`, { headers: owner })
          assert.equal(answer.status, 400, `${query}: ${answer.text}`)
        }
      }
      for (const query of [
        '__proto__=1',
        'constructor=1',
        'limit[a]=1',
        'limit=1&limit=2',
        '&&=',
      ]) {
        const answer = await hone.call('GET', `${record.path}?${query}`, { headers: owner })
        assert.ok([200, 400].includes(answer.status), `${query}: ${answer.text}`)
      }
    })
  }
})

/** Never the same twice, and without the digits that can look like a number no name may hold. */
const newWord = (): string =>
  newId(new Date()).replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))

describe('SQL in a body', () => {
  for (const record of withBody) {
    for (const field of Object.keys(goodBodies[record.name as RouteName]?.() ?? {})) {
      test(`as ${field} of ${title(record)} is answered like any other value`, async () => {
        const spoilt = (text: string): object => ({
          ...good(record),
          [field]: text + newWord(),
        })
        const plain = await sendJson(record, spoilt('harmless'))
        for (const text of injections) {
          const bad = await sendJson(record, spoilt(text))
          const fits = record.body?.safeParse(spoilt(text)).success
          assert.equal(bad.status, fits ? plain.status : 400, `${text}: ${bad.text}`)
        }
      })
    }
  }

  test('is stored and shown as it was written', async () => {
    for (const text of injections) {
      const name = `${text} ${newId(new Date())}`
      const { api_key } = await createKey(hone, owner, { name, scopes: ['models:read'] })
      assert.equal(api_key.key_name, name)
    }
    const orgs = await hone.app.storage.db.selectFrom('org').selectAll().execute()
    assert.equal(orgs.length, 1, 'and the tables are still there')
  })
})

describe('a body', () => {
  for (const record of withBody) {
    test(`with any value that the contract takes for a field of ${title(record)} is understood or refused`, async () => {
      for (const field of Object.keys(good(record))) {
        for (const value of oddValues) {
          const body = { ...good(record), [field]: value }
          if (!record.body?.safeParse(body).success) continue
          const answer = await sendJson(record, body)
          if (answer.status === 400) {
            assert.match(answer.json.error?.message ?? '', new RegExp(`\\b${field}\\b`))
          }
        }
      }
    })

    test(`of any JSON is never too much for ${title(record)}`, async () => {
      const anything = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' })
      const nearlyGood = fc
        .tuple(fc.constantFrom(...Object.keys(good(record))), anything, fc.boolean())
        .map(([field, value, extra]) => ({
          ...good(record),
          [field]: value,
          ...(extra ? { [JSON.stringify(value)]: field } : {}),
        }))
      const text = fc.oneof(
        anything.map((value) => JSON.stringify(value)),
        { arbitrary: nearlyGood.map((value) => JSON.stringify(value)), weight: 3 },
        fc.string({ unit: 'binary' }),
      )
      await fc.assert(
        fc.asyncProperty(text, async (raw) => {
          await send(record, raw)
        }),
        { numRuns: 60 },
      )
    })

    test(`that is no JSON object is a 400 of ${title(record)}`, async () => {
      const deep = '['.repeat(200_000)
      for (const raw of [
        '',
        ' ',
        '{',
        'null',
        '1',
        '"text"',
        '[]',
        '{"a":1}{',
        deep,
        `{"a":${deep}`,
      ]) {
        assert.equal((await send(record, raw)).status, 400, raw.slice(0, 20))
      }
      for (const bytes of [[0xff, 0xfe], [0xef, 0xbb, 0xbf], [0], [0x7b, 0x22, 0xc3, 0x22, 0x7d]]) {
        assert.equal((await send(record, Uint8Array.from(bytes))).status, 400)
      }
      const field = Object.keys(good(record))[0] ?? ''
      const bytes = Buffer.from(`{"${field}":"a?"}`)
      bytes[bytes.indexOf('?')] = 0xff
      assert.match((await send(record, Uint8Array.from(bytes))).text, /is not valid JSON/)
      if (!record.rows) assert.match((await send(record, '')).text, /The body is empty/)
      for (const number of ['1e999', '-1e999', 'NaN', '0x1', '01']) {
        assert.equal((await send(record, `{"${field}":${number}}`)).status, 400, number)
      }
    })

    test(`cannot reach the prototype of anything through ${title(record)}`, async () => {
      const inside = JSON.stringify(good(record)).slice(1)
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
        for (const value of ['{"polluted":true}', 'null', '{"prototype":{"polluted":true}}']) {
          const answer = await send(record, `{"${name}":${value},${inside}`)
          assert.equal(answer.status, 400, answer.text)
          assert.match(answer.json.error?.message ?? '', new RegExp(`Unknown field.*: ${name}`))
        }
      }
      assert.equal(({} as { polluted?: boolean }).polluted, undefined)
    })
  }

  test('of a megabyte is read, and one byte more is 413 however it is sent', async () => {
    const send = (headers: string, body: string) =>
      rawHttp(
        hone.url,
        `POST /api/workspaces HTTP/1.1\r\nhost: hone\r\nconnection: close\r\n` +
          `x-api-key: ${hone.owner.key}\r\n${headers}\r\n\r\n${body}`,
      )
    const most = 'x'.repeat(platformBodyBytesMax)
    assert.equal((await send(`content-length: ${most.length}`, most)).status, 400)
    const tooLarge = [
      await send(`content-length: ${most.length + 1}`, ''),
      await send(
        'transfer-encoding: chunked',
        `${(most.length + 1).toString(16)}\r\n${most}x\r\n0\r\n\r\n`,
      ),
    ]
    for (const answer of tooLarge) {
      assert.equal(answer.status, 413)
      assert.match(answer.text, /"code":"PAYLOAD_TOO_LARGE"/)
    }
  })

  test('that is packed or of no known type is refused for that, and its bytes do not matter', async () => {
    const send = (headers: string, body = '{"name":"Packed"}') =>
      rawHttp(
        hone.url,
        `POST /api/workspaces HTTP/1.1\r\nhost: hone\r\nconnection: close\r\n` +
          `x-api-key: ${hone.owner.key}\r\ncontent-length: ${body.length}\r\n${headers}\r\n\r\n${body}`,
      )
    for (const encoding of ['gzip', 'br', 'deflate, gzip']) {
      const answer = await send(`content-encoding: ${encoding}`)
      assert.equal(answer.status, 400)
      assert.match(answer.text, /"The body must be sent without a Content-Encoding\."/)
    }
    for (const type of ['', ';;', 'json']) {
      const answer = await send(`content-type: ${type}`)
      assert.equal(answer.status, 400)
      assert.match(
        answer.text,
        /"The header Content-Type is not a valid media type; send application\/json/,
      )
    }
    assert.equal((await send('content-encoding: identity')).status, 201)
  })

  test('of any size is not read without a credential', async () => {
    const answer = await rawHttp(
      hone.url,
      'POST /api/workspaces HTTP/1.1\r\nhost: hone\r\ncontent-length: 99999999\r\n\r\n',
    )
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('connection'), 'close')
  })
})

describe('a key that is almost somebody’s', () => {
  // Keys without our checksum, as an operator may set one: nothing but their hash tells them apart.
  const stem = 'a-key-that-Is-as-long-as-sixty-four-characters-and-not-one-more'
  const secrets = { first: `${stem}A`, second: `${stem}B` }
  const ids = { first: '', second: '' }
  let ours: string

  before(async () => {
    assert.equal(stem.length, 63)
    const people: Record<keyof typeof ids, Person> = {
      first: await addPerson(hone, 'admin'),
      second: await addPerson(hone, 'member'),
    }
    for (const who of ['first', 'second'] as const) {
      const at = new Date()
      ids[who] = newId(at)
      await hone.app.storage.db.transaction().execute((tx) =>
        insertKey(tx, {
          id: ids[who],
          workspaceId: owner['x-workspace-id'] ?? '',
          createdBy: people[who].userId,
          name: who,
          secretHash: hashKeySecret(secrets[who]),
          prefix: secrets[who].slice(0, 12),
          scopes: [...scopes],
          scopePreset: 'all',
          at,
          expiresAt: null,
        }),
      )
    }
    ours = (await createKey(hone, owner)).secret
    for (const secret of [ours, ...Object.values(secrets)]) await identity(secret)
  })

  async function identity(key: string): Promise<string | number> {
    const answer = await hone.call('GET', '/api/api-keys/introspect', {
      headers: { 'x-api-key': key },
    })
    if (answer.status !== 200) return answer.status
    return (answer.json as unknown as { key_id: string }).key_id
  }

  async function assertRefused(key: string): Promise<void> {
    assert.equal(await identity(key), 401, key)
    const body = { model: 'x', messages: [] }
    const call = await hone.call('POST', '/v1/chat/completions', { bearer: key, body })
    assert.equal(call.status, 401, key)
  }

  test('by its first 20 to 63 characters is nobody’s', async () => {
    for (let length = 20; length <= 63; length++) {
      await assertRefused(secrets.first.slice(0, length))
      await assertRefused(secrets.first.slice(0, length) + 'x'.repeat(64 - length))
      if (length < ours.length) {
        await assertRefused(ours.slice(0, length))
        // One key in 62 really ends in an x; that one is filled up with another letter.
        const filler = ours.endsWith('x') ? 'y' : 'x'
        await assertRefused(ours.slice(0, length) + filler.repeat(ours.length - length))
      }
    }
  })

  test('with more around it is nobody’s', async () => {
    for (const secret of [ours, ...Object.values(secrets)]) {
      for (const more of ['x', '0', '=', '.', ',', '\u00a0', '%20', '\\0', secret]) {
        await assertRefused(secret + more)
        await assertRefused(more + secret)
      }
      await assertRefused(`"${secret}"`)
      await assertRefused(secret + 'x'.repeat(300))
    }
  })

  test('in other letters is nobody’s', async () => {
    for (const secret of [ours, ...Object.values(secrets)]) {
      await assertRefused(secret.toUpperCase())
      await assertRefused(secret.toLowerCase())
      for (let i = 0; i < secret.length; i++) {
        const letter = secret[i] ?? ''
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
        if (other === letter) continue
        const changed = secret.slice(0, i) + other + secret.slice(i + 1)
        assert.equal(await identity(changed), 401, changed)
      }
    }
  })

  test('except for its last character is the other one’s, also under load and a warm memory', async () => {
    const asked = Array.from({ length: 60 }, (_, i) => (i % 2 ? 'first' : 'second'))
    const answers = await Promise.all(
      asked.map(async (who, i) => {
        if (i % 7 === 0) hone.app.operations.identity.forget()
        return identity(secrets[who])
      }),
    )
    assert.deepEqual(
      answers,
      asked.map((who) => ids[who]),
    )
    await assertRefused(`${stem}C`)
  })

  test('twice in one request is nobody’s', async () => {
    const head = 'GET /api/api-keys/introspect HTTP/1.1\r\nhost: hone\r\nconnection: close\r\n'
    const twice = `x-api-key: ${secrets.first}\r\nx-api-key: ${secrets.second}\r\n\r\n`
    assert.equal((await rawHttp(hone.url, head + twice)).status, 401)
    const same = `x-api-key: ${secrets.first}\r\nX-API-Key: ${secrets.first}\r\n\r\n`
    assert.equal((await rawHttp(hone.url, head + same)).status, 401)
  })

  test('by its stored hash, prefix or id is nobody’s', async () => {
    const hash = hashKeySecret(ours)
    for (const text of [
      hash.toString('hex'),
      hash.toString('base64'),
      `\\x${hash.toString('hex')}`,
      ours.slice(0, 12),
      ids.first,
    ]) {
      await assertRefused(text)
    }
  })
})
