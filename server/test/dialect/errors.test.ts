// Every status of the inference surface in both dialects: shape, type, headers, and nothing that is not the caller's.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { createKey, otherOrg } from '#test/support/accounts.ts'
import {
  type ChaosHone,
  chaosHone,
  dialects,
  dig,
  type DialectName,
  type Json,
  leastBody,
  paths,
  textAt,
} from '#test/support/chaos-hone.ts'
import { chaosCatalog, chaosModes, upstreamSecret } from '#test/support/chaos-upstream.ts'
import { rawHttp } from '#test/support/raw-http.ts'
import type { Answer, CallOptions } from '#test/support/test-hone.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

type Expected = {
  status: number
  /** `type` of the chat dialect, then of the messages dialect. */
  types: [chat: string, messages: string]
  code: string
  param?: string
  message?: RegExp
}

function checkError(dialect: DialectName, answer: Answer, expected: Expected): void {
  assert.equal(answer.status, expected.status, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  const id = answer.headers.get('x-request-id')
  assert.ok(id)
  assert.equal(answer.headers.get('request-id'), id)
  const error = dig(answer.json, 'error') as Json
  if (dialect === 'chat') {
    assert.deepEqual(Object.keys(answer.json), ['error'])
    assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'])
    assert.equal(error.type, expected.types[0])
    assert.equal(error.code, expected.code)
    assert.equal(error.param, expected.param ?? null)
  } else {
    assert.deepEqual(Object.keys(answer.json), ['type', 'error', 'request_id'])
    assert.equal(dig(answer.json, 'type'), 'error')
    assert.equal(dig(answer.json, 'request_id'), id)
    assert.equal(error.type, expected.types[1])
    assert.equal(error.param, expected.param)
  }
  assert.match(textAt(error, 'message'), expected.message ?? /\S/)
  assert.doesNotMatch(answer.text, /127\.0\.0\.1|node_modules|\.ts\b|select |stack/i)
  assert.doesNotMatch(answer.text, new RegExp(`${upstreamSecret}|:${rig.upstream.port}`))
}

const invalid: [string, string] = ['invalid_request_error', 'invalid_request_error']
const unauthorized: [string, string] = ['invalid_request_error', 'authentication_error']
const unavailable: [string, string] = ['service_unavailable_error', 'overloaded_error']

const rows: [what: string, fields: Json, options: CallOptions, expected: Expected][] = [
  [
    'a body that is not JSON',
    {},
    { raw: '{' },
    { status: 400, types: invalid, code: 'invalid_json' },
  ],
  [
    'a body that is no object',
    {},
    { raw: '[]' },
    { status: 400, types: invalid, code: 'invalid_body' },
  ],
  [
    'a missing field',
    { messages: undefined },
    {},
    { status: 400, types: invalid, code: 'missing_required_parameter', param: 'messages' },
  ],
  [
    'a bad value',
    { temperature: 'hot' },
    {},
    { status: 400, types: invalid, code: 'invalid_value', param: 'temperature' },
  ],
  [
    'a request that the model server refuses',
    { model: 'status_400' },
    {},
    { status: 400, types: invalid, code: 'invalid_value', message: /refused/ },
  ],
  [
    'a key that is not known',
    {},
    { bearer: 'no-such-key' },
    { status: 401, types: unauthorized, code: 'invalid_api_key' },
  ],
  [
    'an unknown model',
    { model: 'no/such/model' },
    {},
    {
      status: 404,
      types: ['invalid_request_error', 'not_found_error'],
      code: 'model_not_found',
      param: 'model',
      message: /no\/such\/model/,
    },
  ],
  [
    'a model without a healthy route',
    { model: 'status_500' },
    {},
    { status: 503, types: unavailable, code: 'no_healthy_route' },
  ],
  [
    'an overloaded model server',
    { model: 'status_529' },
    {},
    { status: 503, types: unavailable, code: 'no_healthy_route' },
  ],
  [
    'a model server that breaks in the middle',
    { model: 'error_event' },
    {},
    { status: 502, types: ['server_error', 'api_error'], code: 'upstream_failed' },
  ],
]

for (const dialect of dialects) {
  for (const [what, fields, options, expected] of rows) {
    test(`${dialect}: ${what} is ${expected.status}`, async () => {
      const answer = await rig.post(dialect, fields, options)
      checkError(dialect, answer, expected)
      const retry = answer.headers.get('retry-after')
      if (expected.status === 503) assert.ok(Number(retry) >= 1 && Number(retry) <= 60)
      else assert.equal(retry, null)
      assert.equal(
        answer.headers.get('www-authenticate'),
        expected.status === 401 ? 'Bearer' : null,
      )
    })
  }

  test(`S15: ${dialect}: no bearer token is 401, whatever else is sent`, async () => {
    const body = { model: 'ok', ...leastBody }
    const without: CallOptions[] = [
      { body },
      { body, key: rig.hone.owner.key },
      { body, headers: { authorization: 'Basic abc' } },
      { raw: 'this is not even JSON' },
    ]
    for (const options of without) {
      const answer = await rig.hone.call('POST', paths[dialect], options)
      checkError(dialect, answer, {
        status: 401,
        types: unauthorized,
        code: 'missing_bearer_token',
        message: /bearer token.*Authorization: Bearer.*auth-token/i,
      })
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    }
  })

  test(`S15: ${dialect}: a stray X-API-Key beside a good bearer token is ignored`, async () => {
    const answer = await rig.post(dialect, {}, { key: 'nonsense' })
    assert.equal(answer.status, 200)
  })

  test(`P6: ${dialect}: no credential is refused before the body has come`, async () => {
    const answer = await rawHttp(
      rig.hone.url,
      `POST ${paths[dialect]} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`,
    )
    assert.equal(answer.status, 401)
  })

  test(`${dialect}: a key without the scope, and a person's token, are 401`, async () => {
    const headers = await rig.hone.login(rig.hone.owner.email, rig.hone.owner.password)
    const { secret } = await createKey(rig.hone, headers, { scopes: ['models:read'] })
    const refused = await rig.post(dialect, {}, { bearer: secret })
    checkError(dialect, refused, {
      status: 401,
      types: unauthorized,
      code: 'insufficient_scope',
      message: /serverless/,
    })
    // Claude Code tries a 401 again for minutes, unless it is told not to.
    assert.equal(refused.headers.get('x-should-retry'), 'false')
    for (const bearer of ['nonsense', undefined]) {
      const headers = bearer === undefined ? { authorization: '' } : {}
      const answer = await rig.post(dialect, {}, { ...(bearer ? { bearer } : {}), headers })
      assert.deepEqual([answer.status, answer.headers.get('x-should-retry')], [401, 'false'])
    }
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    checkError(dialect, await rig.post(dialect, {}, { bearer: token }), {
      status: 401,
      types: unauthorized,
      code: 'invalid_api_key',
    })
  })

  test(`${dialect}: an empty wallet is 402, after the body was found good`, async () => {
    const { secret } = await otherOrg(rig.hone)
    checkError(dialect, await rig.post(dialect, {}, { bearer: secret }), {
      status: 402,
      types: ['insufficient_quota', 'billing_error'],
      code: 'insufficient_balance',
    })
    const unknown = await rig.post(dialect, { model: 'nope' }, { bearer: secret })
    assert.equal(unknown.status, 404)
  })

  test(`${dialect}: every other verb is 405, names POST, and needs no key`, async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await rig.hone.call(method, paths[dialect])
      checkError(dialect, answer, {
        status: 405,
        types: invalid,
        code: 'method_not_allowed',
        message: /POST/,
      })
      assert.equal(answer.headers.get('allow'), 'POST')
    }
  })

  test(`${dialect}: a body over 32 MiB is 413 by its length alone`, async () => {
    const head = (bytes: number): string =>
      `POST ${paths[dialect]} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
      `Authorization: Bearer ${rig.hone.owner.key}\r\nContent-Length: ${bytes}\r\n\r\n`
    const answer = await rawHttp(rig.hone.url, head(32 * 1024 * 1024 + 1))
    assert.equal(answer.status, 413)
    const error = dig(JSON.parse(answer.text), 'error')
    assert.equal(
      dig(error, 'type'),
      dialect === 'chat' ? 'invalid_request_error' : 'request_too_large',
    )
  })

  test(`${dialect}: a mistake of ours is 500 and says nothing of it`, async (context) => {
    context.mock.method(rig.hone.app.calls.promptCache, 'plan', () => {
      throw new Error(`select ${upstreamSecret} from /secret/path.ts`)
    })
    checkError(dialect, await rig.post(dialect, {}), {
      status: 500,
      types: ['server_error', 'api_error'],
      code: 'internal_error',
    })
    context.mock.restoreAll()
    assert.equal((await rig.wallet()).held_usd, '0')
  })
}

test('model rows: 405 and 404 in the shape of whoever asks', async () => {
  for (const dialect of dialects) {
    const headers: Record<string, string> =
      dialect === 'chat' ? {} : { 'anthropic-version': '2023-06-01' }
    const missing = await rig.hone.call('GET', '/v1/models/no%2Fsuch', { headers })
    checkError(dialect, missing, {
      status: 404,
      types: ['invalid_request_error', 'not_found_error'],
      code: 'model_not_found',
      param: 'model',
    })
    const posted = await rig.hone.call('POST', '/v1/models', { headers })
    checkError(dialect, posted, { status: 405, types: invalid, code: 'method_not_allowed' })
    assert.match(posted.headers.get('allow') ?? '', /GET/)
  }
})

const mistaken = {
  '/chat/completions': /POST \/v1\/chat\/completions\.$/,
  '/v1/v1/messages': /POST \/v1\/messages\.$/,
  '/messages': /POST \/v1\/messages\.$/,
  '/v1/v1/messages/count_tokens': /POST \/v1\/messages\/count_tokens\.$/,
  '/models': /GET \/v1\/models\.$/,
  '/v1/v1/models': /GET \/v1\/models\.$/,
  '/v1/completions': /completions dialect is not served; use POST \/v1\/chat\/completions\.$/,
  '/v1/messages/batches': /\/v1\/messages\/batches is not served; GET \/docs shows what is\.$/,
  '/v1/embeddings': /\/v1\/embeddings is not served; GET \/docs shows what is\.$/,
  '/v1/files/f-1': /\/v1\/files is not served; GET \/docs shows what is\.$/,
  '/v1/filesystem': /^There is nothing at this path\.$/,
}
for (const [path, names] of Object.entries(mistaken)) {
  test(`${path} is 404 and says where to go, if anywhere`, async () => {
    const method = path.endsWith('/models') ? 'GET' : 'POST'
    const answer = await rig.hone.call(method, path, { bearer: rig.hone.owner.key })
    assert.equal(answer.status, 404)
    assert.match(answer.json.error?.message ?? '', names)
  })
}

test('the responses dialect is 404 and names the endpoint to use', async () => {
  const answer = await rig.hone.call('POST', '/v1/responses', { bearer: rig.hone.owner.key })
  checkError('chat', answer, {
    status: 404,
    types: invalid,
    code: 'not_found',
    message: /\/v1\/chat\/completions/,
  })
  assert.equal((await rig.hone.call('POST', '/v1/nothing')).status, 404)
})

test('S14: a request id of the client is kept when well formed, and never split a header', async () => {
  const kept = await rig.post('chat', { model: 'nope' }, { headers: { 'x-request-id': 'abc-1' } })
  assert.equal(kept.headers.get('x-request-id'), 'abc-1')
  for (const id of ['a b', 'x'.repeat(200), 'a\tb', '<script>']) {
    const answer = await rig.post('chat', { model: 'nope' }, { headers: { 'x-request-id': id } })
    assert.notEqual(answer.headers.get('x-request-id'), id)
  }
})

test('S14: a slug with line breaks is echoed inside JSON only', async () => {
  for (const dialect of dialects) {
    const answer = await rig.post(dialect, { model: 'a\r\nset-cookie: x\u0000' })
    assert.equal(answer.status, 404)
    assert.equal(answer.headers.get('set-cookie'), null)
    assert.doesNotMatch(answer.text, /\r|\n|\0/)
  }
})

test('S6: no failure of a model server shows its address, its key or its words', async () => {
  const quick = chaosModes.filter((mode) => !/^(hang|gated|stepped|endless)/.test(mode))
  const asked = quick.flatMap((mode) => [mode, `anthropic/${mode}`])
  for (const dialect of dialects) {
    for (const stream of [false, true]) {
      const answers = await Promise.all(asked.map((model) => rig.post(dialect, { model, stream })))
      for (const answer of answers) {
        const all = answer.text + JSON.stringify([...answer.headers])
        const hidden = `${upstreamSecret}|127\\.0\\.0\\.1|:${rig.upstream.port}|overloaded sk`
        assert.doesNotMatch(all, new RegExp(hidden))
      }
    }
  }
})

test('the ceiling of a workspace is 429 with when to come back', async () => {
  const limits = { requests_per_minute: 2 }
  const catalog = { ...chaosCatalog(rig.upstream), limits }
  await writeFile(rig.hone.catalogFile, JSON.stringify(catalog))
  await rig.hone.app.catalog.reload()
  for (const dialect of dialects) {
    let answer = await rig.post(dialect, {})
    for (let tries = 0; answer.status === 200 && tries < 10; tries++) {
      answer = await rig.post(dialect, {})
    }
    checkError(dialect, answer, {
      status: 429,
      types: ['rate_limit_error', 'rate_limit_error'],
      code: 'rate_limit_exceeded',
    })
    const retry = Number(answer.headers.get('retry-after'))
    assert.ok(Number.isInteger(retry) && retry >= 1 && retry <= 60)
    assert.equal(answer.headers.get('x-ratelimit-limit-requests'), '2')
    assert.equal(answer.headers.get('x-ratelimit-remaining-requests'), '0')
  }
})
