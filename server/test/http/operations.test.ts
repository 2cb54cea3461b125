// What an operator and a curious client look at: health, metrics, the description of the API, and the request id on
// every answer.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { chatErrorBody, messagesErrorBody, platformErrorBody } from '#contract/error-bodies.ts'
import { requestIdCharactersMax } from '#contract/limits.ts'
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import { scopes } from '#contract/scopes.ts'
import { isId, newId } from '#server/lib/id.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { readBalance } from '#server/wallet/wallet-store.ts'
import { freePort } from '#test/support/free-port.ts'
import { rawHttp } from '#test/support/raw-http.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { type Answer, callHttp, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { chargedCall } from '#test/support/wallet-rig.ts'

type Json = Record<string, unknown>

const records = routes as readonly Route[]
let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

describe('health', () => {
  test('the process lives and can serve', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await hone.call('GET', path)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.json, { status: 'ok' })
      assert.equal((await hone.call('HEAD', path)).status, 200)
    }
  })

  test('while it shuts down it lives but takes nothing new', async () => {
    hone.app.operations.closing = true
    try {
      assert.equal((await hone.call('GET', '/healthz')).status, 200)
      const answer = await hone.call('GET', '/readyz')
      assert.equal(answer.status, 503)
      assert.equal(answer.json.error?.code, 'UNAVAILABLE')
      assert.ok(Number(answer.headers.get('retry-after')) >= 1)
      assert.equal(answer.headers.get('connection'), 'close')
    } finally {
      hone.app.operations.closing = false
    }
    assert.equal((await hone.call('GET', '/readyz')).status, 200)
  })

  test('however many ask at once, the database is asked once, and anew for whoever asks later', async (t) => {
    const { pool } = hone.app.storage
    const check = t.mock.method(pool, 'checkWritable', () => delay(200))
    await Promise.all(Array.from({ length: 20 }, () => hone.call('GET', '/readyz')))
    const first = check.mock.callCount()
    assert.ok(first >= 1 && first < 10, `asked ${first} times`)
    check.mock.mockImplementation(() => Promise.reject(new StorageUnavailable(new Error('gone'))))
    assert.equal((await hone.call('GET', '/readyz')).status, 503)
    check.mock.restore()
    assert.equal((await hone.call('GET', '/readyz')).status, 200)
  })
})

test('a first start is ready when its owner is made, and not when its port is open', async (t) => {
  const database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const port = await freePort()
  const ask = (path: string): Promise<number> =>
    callHttp(`http://127.0.0.1:${port}`, 'GET', path).then(
      ({ status }) => status,
      () => 0,
    )
  // Keeps the first start from making anything.
  await client.query(`select pg_advisory_lock(hashtextextended('hone first start', 0))`)
  const starting = testHone({ databaseUrl: database.url, env: { PORT: String(port) } })
  t.after(async () => {
    await (await starting).stop()
  })
  await until(async () => (await ask('/healthz')) === 200)
  assert.equal(await ask('/readyz'), 503)
  const early = await callHttp(`http://127.0.0.1:${port}`, 'GET', '/readyz')
  assert.equal(early.headers.get('retry-after'), '1')
  await client.end()
  await starting
  assert.equal(await ask('/readyz'), 200)
})

describe('/metrics', () => {
  test('is in the text format of Prometheus', async () => {
    const answer = await hone.call('GET', '/metrics')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    for (const line of answer.text.trimEnd().split('\n')) {
      assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? [-+.eEInfNa\d]+|)$/)
    }
    for (const name of [
      'hone_http_requests_total',
      'hone_http_request_seconds',
      'hone_calls_total',
      'hone_tokens_total',
      'hone_unbilled_charges_total',
      'hone_charges_pending',
      'hone_storage_connected',
      'hone_process_cpu_seconds_total',
    ]) {
      assert.match(answer.text, new RegExp(`^# TYPE ${name} `, 'm'))
    }
    assert.match(answer.text, /^hone_storage_connected 1$/m)
    assert.match(answer.text, /^hone_charges_pending 0$/m)
  })

  test('counts answers by route pattern and status, and nothing a caller can make up', async () => {
    const id = '01900000-0000-7000-8000-00000000abcd'
    await hone.call('DELETE', `/api/api-keys/${id}`, { key: hone.owner.key })
    await hone.call('GET', `/v1/models/made-up-${id}`)
    await hone.call('GET', `/nowhere/${id}`)
    await hone.call('GET', `/api/api-keys?cursor=${id}`, { key: hone.owner.key })
    await hone.call('POST', '/v1/chat/completions', {
      bearer: hone.owner.key,
      body: { model: `made-up-${id}`, messages: [{ role: 'user', content: 'Hi' }] },
    })
    const { text } = await hone.call('GET', '/metrics')
    assert.match(
      text,
      /^hone_http_requests_total\{route="\/api\/api-keys\/:key_id",status="404"\} 1$/m,
    )
    assert.doesNotMatch(text, /abcd|made-up|nowhere|cursor/)
    assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/)
    assert.ok(!text.includes(hone.owner.email) && !text.includes(hone.owner.key))
    const known = new Set(['route', 'status', 'le', 'model', 'outcome', 'kind'])
    for (const line of text.split('\n')) {
      if (!line.startsWith('hone_http') && !line.startsWith('hone_calls')) continue
      for (const [, label = ''] of line.matchAll(/[{,](\w+)="/g)) assert.ok(known.has(label), line)
    }
  })
})

describe('/openapi.json', () => {
  let document: Json & { paths: Record<string, Record<string, Json>>; components: Json }
  before(async () => {
    const answer = await hone.call('GET', '/openapi.json')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    document = answer.json as never
  })

  const operations = (): [string, string, Json][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, Json] => [
        path,
        method,
        operation,
      ]),
    )

  test('is OpenAPI 3.1 with a title and the version of the package', () => {
    assert.match(String(document.openapi), /^3\.1\.\d+$/)
    const info = document.info as Json
    assert.ok(info.title)
    assert.match(String(info.version), /^\d+\.\d+\.\d+/)
  })

  test('holds every route of the contract and no other', () => {
    const described = operations().map(([path, method]) => `${method.toUpperCase()} ${path}`)
    const written = records.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(described.sort(), written.sort())
    const names = operations().map(([, , operation]) => operation.operationId)
    assert.deepEqual(names.sort(), records.map(({ name }) => name).sort())
  })

  /** Every object in the document, with what leads to it. */
  function* nodes(value: unknown, path = '#'): Generator<[string, Json]> {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) yield [path, value as Json]
    for (const [name, one] of Object.entries(value)) yield* nodes(one, `${path}/${name}`)
  }

  test('says what every refusal looks like, as refusals do look', async () => {
    const schemas = (document.components as { schemas: Record<string, Json> }).schemas
    assert.deepEqual(Object.keys(schemas).sort(), ['ChatError', 'MessagesError', 'PlatformError'])
    for (const [path, method, { responses }] of operations()) {
      for (const [status, response] of Object.entries(responses as Record<string, Json>)) {
        if (Number(status) < 400) continue
        const content = response.content as Record<string, { schema: { $ref: string } }>
        const name = content['application/json']?.schema.$ref.split('/').at(-1) ?? ''
        assert.ok(schemas[name], `${method} ${path} ${status}`)
      }
    }
    const unknown = { bearer: 'nobody', body: {} }
    const chat = await hone.call('POST', '/v1/chat/completions', unknown)
    assert.deepEqual(chatErrorBody.strict().parse(chat.json), chat.json)
    const messages = await hone.call('POST', '/v1/messages', unknown)
    assert.deepEqual(messagesErrorBody.strict().parse(messages.json), messages.json)
    const platform = await hone.call('GET', '/api/wallet')
    assert.deepEqual(platformErrorBody.strict().parse(platform.json), platform.json)
  })

  test('says it in words that generators of clients can use', () => {
    for (const [path, node] of nodes(document)) {
      if (!/\/anyOf\/\d+$/.test(path)) assert.notEqual(node.type, 'null', `${path} is always null`)
      if (typeof node.format === 'string') assert.equal(node.pattern, undefined, path)
      assert.doesNotMatch(String(node.pattern), /\\p\{/, path)
      const isLarge = !(Number(node.maximum) <= 0x7fff_ffff)
      if (node.type === 'integer' && isLarge) assert.equal(node.format, 'int64', path)
    }
  })

  test('knows answers in events, headers of people who sign in, rows alone, and what is off', () => {
    const of = (name: string): Json =>
      operations().find(([, , operation]) => operation.operationId === name)?.[2] ?? {}
    const contentOf = (part: unknown): string[] => Object.keys((part as { content: Json }).content)
    for (const name of ['createChatCompletion', 'createMessage']) {
      const { 200: answer } = of(name).responses as Record<string, Json>
      assert.deepEqual(contentOf(answer), ['application/json', 'text/event-stream'])
      assert.ok((answer?.headers as Json)['X-Loop-Sample-Id'])
    }
    const parameters = of('listWorkspaces').parameters as { $ref?: string; name?: string }[]
    assert.deepEqual(
      parameters.map((one) => one.name ?? one.$ref?.split('/').at(-1)),
      ['limit', 'cursor', 'OrgId', 'WorkspaceId'],
    )
    assert.deepEqual(contentOf(of('importSamples').requestBody), [
      'application/json',
      'application/x-ndjson',
      'application/jsonl',
    ])
    const { 403: forbidden } = of('createPipeline').responses as Record<string, Json>
    assert.match(String(forbidden?.description), /LOOP_COMING_SOON/)
  })

  test('describes each operation whole', () => {
    const schemes = (document.components as { securitySchemes: Json }).securitySchemes
    for (const [path, method, operation] of operations()) {
      const where = `${method} ${path}`
      const record = records.find(({ name }) => name === operation.operationId)
      assert.ok(record && operation.summary && Array.isArray(operation.tags), where)
      const parameters = operation.parameters as { name: string; in: string; required: boolean }[]
      const inPath = parameters.filter((one) => one.in === 'path')
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        inPath.map((one) => one.name),
        named,
        where,
      )
      assert.ok(
        inPath.every((one) => one.required),
        where,
      )
      assert.equal(operation.requestBody !== undefined, record.body !== undefined, where)
      const security = operation.security as Json[]
      assert.equal(security.length === 0, record.access.kind === 'public', where)
      for (const one of security) {
        for (const scheme of Object.keys(one)) assert.ok(schemes[scheme], where)
      }
      const responses = operation.responses as Record<string, Json>
      assert.ok(responses[record.status], where)
      for (const [status, response] of Object.entries(responses)) {
        assert.match(status, /^[2345]\d\d$/, where)
        assert.equal(typeof response.description, 'string', where)
      }
      if (record.access.kind !== 'public') assert.ok(responses['401'], where)
      if (record.access.kind === 'caller') assert.ok(responses['403'], where)
    }
  })

  test('names only references that resolve, and no schema of another draft', () => {
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        assert.notEqual(key, '$schema')
        if (key === '$ref') {
          assert.match(String(inner), /^#\//)
          const found = String(inner)
            .slice(2)
            .split('/')
            .reduce<unknown>((at, part) => (at as Json | undefined)?.[part], document)
          assert.ok(found, String(inner))
        }
        visit(inner)
      }
    }
    visit(document)
  })

  test('promises the type of content that is sent', async () => {
    for (const record of records) {
      if (record.method !== 'GET' || record.path.includes('{')) continue
      const operation = document.paths[record.path]?.get
      const responses = operation?.responses as Record<string, { content: Json }>
      const promised = Object.keys(responses['200']?.content ?? {})
      const answer = await hone.call('GET', record.path, { key: hone.owner.key })
      assert.equal(answer.status, 200, record.path)
      const sent = answer.headers.get('content-type')?.split(';')[0]
      assert.deepEqual(promised, [sent], record.path)
    }
  })

  test('answers fit their schemas', async () => {
    for (const record of records) {
      if (record.method !== 'GET' || record.path.includes('{') || record.contentType) continue
      const answer = await hone.call('GET', record.path, { key: hone.owner.key })
      const parsed = record.response?.safeParse(answer.json)
      assert.ok(parsed?.success, `${record.path}: ${parsed?.error}`)
    }
  })
})

describe('/docs', () => {
  test('is a page that mentions every route, error shape and scope, and loads nothing', async () => {
    const answer = await hone.call('GET', '/docs')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    for (const { method, path } of records) {
      assert.ok(answer.text.includes(`<b>${method}</b> ${path}</code>`), `${method} ${path}`)
    }
    for (const scope of scopes) assert.ok(answer.text.includes(`<code>${scope}</code>`), scope)
    assert.doesNotMatch(answer.text, /<script|<img|<link|<iframe| src=|https?:\/\//i)
  })

  test('escapes what it shows', async () => {
    const { text } = await hone.call('GET', '/docs')
    const inside = [...text.matchAll(/<pre>([^]*?)<\/pre>/g)].map(([, content]) => content ?? '')
    assert.ok(inside.length > 0)
    for (const content of inside) {
      assert.doesNotMatch(content, /[<>"]/)
      assert.doesNotMatch(content, /&(?!amp;|lt;|gt;|quot;)/)
    }
    const open = [...text.matchAll(/<(article|section|table|details|pre|code|p|i|b)\b/g)].length
    const closed = [...text.matchAll(/<\/(article|section|table|details|pre|code|p|i|b)>/g)].length
    assert.equal(open, closed)
  })
})

test('the printed address leads a browser to the documentation, and no other client', async () => {
  const browser = { accept: 'text/html,*/*;q=0.8' }
  const page = await hone.call('GET', '/', { headers: browser })
  assert.equal(page.text, (await hone.call('GET', '/docs')).text)
  assert.equal((await hone.call('GET', '/nothing', { headers: browser })).status, 404)
  assert.equal((await hone.call('GET', '/')).status, 404)
  assert.equal((await hone.call('POST', '/')).status, 404)
})

describe('the request id', () => {
  const paths: [method: string, path: string][] = [
    ['GET', '/healthz'],
    ['GET', '/v1/models'],
    ['GET', '/v1/models/none'],
    ['GET', '/api/wallet'],
    ['PUT', '/api/wallet'],
    ['GET', '/nowhere'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/messages'],
    ['POST', '/api/auth/login'],
    ['GET', '/docs'],
    ['HEAD', '/metrics'],
  ]

  test('is on every answer, good or bad, under both names, and new each time', async () => {
    const seen = new Set<string>()
    for (const [method, path] of paths) {
      const { headers } = await hone.call(method, path)
      const id = headers.get('x-request-id') ?? ''
      assert.ok(isId(id), `${method} ${path}: ${id}`)
      assert.equal(headers.get('request-id'), id)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      seen.add(id)
    }
    assert.equal(seen.size, paths.length)
  })

  test('comes with the word that nobody on the way keeps what can be got', async () => {
    for (const [method, path] of paths) {
      if (method === 'POST') continue
      const { headers } = await hone.call(method, path, { key: hone.owner.key })
      assert.equal(headers.get('cache-control'), 'no-store', `${method} ${path}`)
    }
  })

  test('is the client’s own when it is well formed', async () => {
    const longest = 'x'.repeat(requestIdCharactersMax)
    for (const id of ['1', 'req_abc-123', 'a.b:c/d+e=f@g', longest]) {
      for (const [method, path] of paths) {
        const { headers } = await hone.call(method, path, { headers: { 'x-request-id': id } })
        assert.equal(headers.get('x-request-id'), id)
        assert.equal(headers.get('request-id'), id)
      }
    }
  })

  test('is replaced when it is not', async () => {
    const tooLong = 'x'.repeat(requestIdCharactersMax + 1)
    for (const id of [tooLong, 'with space', 'a,b', '<script>', '"', "' or 1=1", '${x}', 'é', '']) {
      const { headers } = await hone.call('GET', '/healthz', { headers: { 'x-request-id': id } })
      assert.ok(isId(headers.get('x-request-id') ?? ''), id)
    }
  })

  const send = (lines: string, path = '/healthz') =>
    rawHttp(hone.url, `GET ${path} HTTP/1.1\r\nhost: hone\r\nconnection: close\r\n${lines}\r\n`)

  test('cannot carry a header or a second answer into the answer', async () => {
    for (const value of ['a\rset-cookie: x=1', 'a\nset-cookie: x=1', 'a\0b', 'a\x7fb', 'a\x01b']) {
      const answer = await send(`x-request-id: ${value}\r\n`)
      assert.ok([200, 400].includes(answer.status), JSON.stringify(value))
      assert.ok(isId(answer.headers.get('x-request-id') ?? ''), JSON.stringify(value))
      assert.ok(!answer.headers.has('set-cookie'))
    }
    const encoded = await send('x-request-id: a%0d%0aset-cookie:x=1\r\n')
    assert.ok(isId(encoded.headers.get('x-request-id') ?? ''))
    const twice = await send('x-request-id: one\r\nx-request-id: two\r\n')
    assert.ok(isId(twice.headers.get('x-request-id') ?? ''))
  })

  test('is on answers to what is hardly a request', async () => {
    const answers = [
      await send('', '/api/%zz'),
      await send('', '/v1/models/%'),
      await send('no colon here\r\n'),
      await send(`x-long: ${'x'.repeat(20_000)}\r\n`),
      await rawHttp(hone.url, 'BREW /coffee HTTP/1.1\r\n\r\n'),
      await rawHttp(hone.url, 'hello\r\n\r\n'),
      await rawHttp(hone.url, 'GET /healthz HTTP/9.9\r\n\r\n'),
    ]
    for (const answer of answers) {
      assert.ok([400, 431].includes(answer.status), String(answer.status))
      assert.ok(isId(answer.headers.get('x-request-id') ?? ''), answer.text)
      assert.equal(answer.headers.get('request-id'), answer.headers.get('x-request-id'))
      const { error } = JSON.parse(answer.text) as { error: { message: string; code: string } }
      assert.ok(error.message && error.code)
    }
  })
})

test('an answer that its wallet could not pay in full is counted for the operator', async (t) => {
  const poor = await testHone({ tasks: [] })
  t.after(() => poor.stop())
  const { key } = poor.owner
  const ask = (path: string): Promise<Answer> => poor.call('GET', path, { key })
  const owner = (await ask('/api/api-keys/introspect')).json as unknown as {
    org: { id: string }
    workspace: { id: string }
  }
  const whose = { walletId: owner.org.id, workspaceId: owner.workspace.id, keyId: null }
  const { money, storage } = poor.app
  const requestId = newId(new Date())
  const balance = await readBalance(storage.db, owner.org.id)
  const hold = await money.wallets.hold({ ...whose, requestId, amount: 1n })
  assert.match((await ask('/metrics')).text, /^hone_unbilled_charges_total 0$/m)
  await hold.post(balance + 1n, chargedCall)
  assert.match((await ask('/metrics')).text, /^hone_unbilled_charges_total 1$/m)
})
