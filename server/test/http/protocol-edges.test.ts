// Requests at the edges of HTTP, by hand: each surface answers them in its own shape and with an id, where Node alone would
// send a bare status or close without a word.
import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
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
        const allowed = allow === 'GET' ? 'GET, HEAD' : allow
        assert.equal(bare.headers.get('allow'), allowed, method)
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

describe('a method that nobody has heard of', () => {
  async function brew(path: string): Promise<[status: number, json: unknown]> {
    const answer = await rawHttp(hone.url, `BREW ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
    assert.equal(answer.headers.get('x-request-id'), answer.headers.get('request-id'))
    const json = JSON.parse(answer.text) as { request_id?: string }
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    if (json.request_id) assert.equal(json.request_id, answer.headers.get('x-request-id'))
    return [answer.status, { ...json, ...(json.request_id ? { request_id: '' } : {}) }]
  }
  const message = 'The request is malformed.'
  const type = 'invalid_request_error'
  const chat = { error: { message, type, param: null, code: 'invalid_body' } }
  const messages = { type: 'error', error: { type, message }, request_id: '' }
  const platform = { error: { code: 'BAD_REQUEST', message } }

  test('is 400 in the shape of its path', async () => {
    assert.deepEqual(await brew('/v1/chat/completions'), [400, chat])
    assert.deepEqual(await brew('/v1/messages?beta=true'), [400, messages])
    assert.deepEqual(await brew('/api/wallet'), [400, platform])
    assert.deepEqual(await brew('/v1/messages'.padEnd(20_000, 'x')), [400, messages])
  })

  test('is 400 in the shape of the platform where there is no path', async () => {
    assert.deepEqual(await brew('coffee'), [400, platform])
    assert.deepEqual(await brew('\n/v1/messages'), [400, platform])
  })

  test('is not taken for a request that came before it in one packet', async () => {
    const { hostname, port } = new URL(hone.url)
    const socket = connect(Number(port), hostname).setEncoding('latin1')
    let received = ''
    socket.on('data', (text: string) => (received += text))
    const closed = new Promise((resolve) => socket.on('close', resolve))
    const first = 'OPTIONS /v1/messages HTTP/1.1\r\nhost: x\r\n\r\n'
    socket.write(`${first}BREW /api/wallet HTTP/1.1\r\nhost: x\r\n\r\n`)
    await closed
    assert.match(received, /"code":"BAD_REQUEST"/)
  })

  test('headers that cannot be read are answered in the shape of their path too', async () => {
    const bad = await rawHttp(hone.url, 'POST /v1/messages HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n')
    assert.equal(bad.status, 400)
    assert.equal((JSON.parse(bad.text) as { type: string }).type, 'error')
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

describe('a request with two Hosts', () => {
  for (const surface of names) {
    const { path, allow: method } = surfaces[surface]

    test(`is 400, also when they say the same: ${surface}`, async () => {
      const code = surface === 'platform' ? 'bad_request' : 'invalid_body'
      for (const lines of [
        ['host: x', 'host: y'],
        ['Host: x', 'accept: */*', 'HOST: x'],
      ]) {
        for (const version of ['1.1', '1.0']) {
          check(surface, await ask(method, path, { version, lines }), 400, code)
        }
      }
    })
  }
})

describe('a path in another spelling', () => {
  const spellings: [path: string, surface: SurfaceName][] = [
    ['/%76%31/messages', 'messages'],
    ['/v1/%6Dessages?beta=true', 'messages'],
    ['http://x/v1/messages', 'messages'],
    ['/%76%31/chat/complet%69ons', 'chat'],
    ['http://x/v1/chat/completions', 'chat'],
    ['/%61pi/wallet', 'platform'],
  ]
  for (const [path, surface] of spellings) {
    test(`is refused in the shape of what it names: ${path}`, async () => {
      const answer = await ask('PUT', path, {})
      check(surface, answer, 405, 'method_not_allowed')
      const { allow: method } = surfaces[surface]
      assert.equal(answer.headers.get('allow')?.split(', ')[0], method)
      const nobody = await ask(method, path, {})
      assert.equal(nobody.status, 401, nobody.text)
      const { type } = JSON.parse(nobody.text) as { type?: string }
      assert.equal(type, surface === 'messages' ? 'error' : undefined)
    })
  }

  test('is not found, or malformed, in that shape too', async () => {
    check('chat', await ask('GET', '/v1?page=2', {}), 404, 'not_found')
    check('chat', await ask('GET', '/%76%31/nowhere', {}), 404, 'not_found')
    check('messages', await ask('GET', '/%76%31/messages/%zz', {}), 400, 'invalid_body')
    // An escaped slash is no slash, so that nothing under /v1 is named here.
    check('platform', await ask('GET', '/v1%2Fmessages', {}), 404, 'not_found')
  })
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
