// Requests at the edges of HTTP, by hand: each surface answers them in its own shape and with an id, where Node alone would
// send a bare status or close without a word.
import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type RawAnswer, rawHttp } from '#test/support/raw-http.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

const surfaces = {
  chat: { path: '/v1/chat/completions', allow: 'POST' },
  messages: { path: '/v1/messages', allow: 'POST' },
  platform: { path: '/api/wallet', allow: 'GET' },
}
type SurfaceName = keyof typeof surfaces
const names = Object.keys(surfaces) as SurfaceName[]

const id = 'an-id-of-the-client'

function ask(method: string, path: string, { version = '1.1', lines = ['host: x'], body = '' }) {
  const head = [`${method} ${path} HTTP/${version}`, `x-request-id: ${id}`, 'connection: close']
  return rawHttp(hone.url, [...head, ...lines, '', body].join('\r\n'))
}

function check(surface: SurfaceName, answer: RawAnswer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('x-request-id'), id)
  assert.equal(answer.headers.get('request-id'), id)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  const json = JSON.parse(answer.text) as { error: Record<string, unknown> }
  if (surface === 'messages') {
    const { message } = json.error
    const error = { type: 'invalid_request_error', message }
    assert.deepEqual(json, { type: 'error', error, request_id: id })
  } else {
    assert.equal(json.error.code, surface === 'platform' ? code.toUpperCase() : code)
  }
  assert.match(String(json.error.message), /^[A-Z].*\.$/)
}

describe('a method that the path does not take', () => {
  // With HEAD a server must not send a body, and every other test sends these.
  const common = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
  const odd = METHODS.filter((method) => !common.includes(method))

  for (const surface of names) {
    test(`is 405 with Allow, whichever it is: ${surface}`, async () => {
      const { path, allow } = surfaces[surface]
      assert.ok(odd.includes('QUERY') && odd.includes('CONNECT'))
      for (const method of odd) {
        const bare = await ask(method, path, {})
        check(surface, bare, 405, 'method_not_allowed')
        assert.equal(bare.headers.get('allow'), allow, method)
        const lines = ['host: x', 'content-type: no/such', 'content-length: 2']
        const withBody = await ask(method, path, { lines, body: '{}' })
        check(surface, withBody, 405, 'method_not_allowed')
      }
    })
  }

  test('is 404 where there is nothing at all', async () => {
    check('platform', await ask('QUERY', '/nowhere', {}), 404, 'not_found')
    check('chat', await ask('QUERY', '/v1/nowhere', {}), 404, 'not_found')
    check('platform', await ask('CONNECT', 'example.com:443', {}), 404, 'not_found')
  })

  test('comes before what is wrong with its body', async () => {
    const lines = ['host: x', `content-length: ${1024 ** 3}`]
    for (const surface of names) {
      const answer = await ask('DELETE', surfaces[surface].path, { lines })
      check(surface, answer, 405, 'method_not_allowed')
    }
  })
})

describe('a request without Host', () => {
  for (const surface of names) {
    const { path, allow: method } = surfaces[surface]
    const code = surface === 'platform' ? 'bad_request' : 'invalid_body'

    test(`is 400: ${surface}`, async () => {
      check(surface, await ask(method, path, { lines: [] }), 400, code)
      const lines = ['content-length: 2', 'expect: 100-continue']
      check(surface, await ask(method, path, { lines, body: '{}' }), 400, code)
    })

    test(`is in order in HTTP/1.0: ${surface}`, async () => {
      const answer = await ask(method, path, { version: '1.0', lines: [] })
      assert.equal(answer.status, 401, answer.text)
    })
  }
})

describe('an expectation that nobody knows', () => {
  for (const surface of names) {
    test(`is 417, and the body is not waited for: ${surface}`, async () => {
      const { path, allow: method } = surfaces[surface]
      const lines = ['host: x', 'expect: something-else']
      check(surface, await ask(method, path, { lines }), 417, 'expectation_failed')
      const announced = [...lines, 'content-length: 1000000']
      check(surface, await ask(method, path, { lines: announced }), 417, 'expectation_failed')
    })
  }
})

test('they are counted like every other answer', async () => {
  const { text } = await hone.call('GET', '/metrics')
  for (const status of [400, 405, 417]) {
    assert.match(
      text,
      new RegExp(`^hone_http_requests_total\\{route="unknown",status="${status}"\\}`, 'm'),
    )
  }
})
