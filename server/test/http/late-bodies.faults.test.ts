// Whoever loses a right while their body is on its way, which may take hours, has lost it for that request too.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import {
  addPerson,
  changeMember,
  createKey,
  removePerson,
  revokeKey,
} from '#test/support/accounts.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
let owner: Record<string, string>
before(async () => {
  hone = await testHone()
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

type Sending = { finish: () => Promise<number> }

/** Sends all but the end of a body, once whoever sends it was let in, and the end when the test says so. */
async function begin(
  path: string,
  headers: Record<string, string>,
  body: object,
): Promise<Sending> {
  const text = JSON.stringify(body)
  const { hostname, port } = new URL(hone.url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
  const sent = { host: hostname, ...headers, 'content-length': text.length, expect: '100-continue' }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await until(() => answer.startsWith('HTTP/1.1 100 '))
  socket.write(text.slice(0, -1))
  return {
    async finish() {
      socket.write(text.slice(-1))
      await until(() => answer.lastIndexOf('HTTP/1.1 ') > 0)
      socket.destroy()
      await once(socket, 'close')
      return Number(answer.slice(answer.lastIndexOf('HTTP/1.1 ')).split(' ')[1])
    },
  }
}

const accomplice = { email: 'accomplice@example.com', role: 'admin' }

test('a person who is removed adds nobody any more', async () => {
  const { userId, headers } = await addPerson(hone, 'admin')
  const adding = await begin('/api/members', headers, accomplice)
  await removePerson(hone, userId)
  assert.equal(await adding.finish(), 404)
})

test('a person whose role is lowered adds nobody any more', async () => {
  const { userId, headers } = await addPerson(hone, 'admin')
  const adding = await begin('/api/members', headers, accomplice)
  await changeMember(hone, userId, { role: 'viewer' })
  assert.equal(await adding.finish(), 403)
})

test('a session that ends changes no password any more', async () => {
  const { headers, password } = await addPerson(hone, 'member')
  const body = { current_password: password, new_password: 'another password' }
  const changing = await begin('/api/auth/password', headers, body)
  const { status } = await hone.call('POST', '/api/auth/logout', { headers })
  assert.equal(status, 204)
  assert.equal(await changing.finish(), 401)
})

const messages = [{ role: 'user', content: 'Hi' }]
const calls: [path: string, body: object][] = [
  ['/v1/chat/completions', { model: 'none', messages }],
  ['/v1/messages', { model: 'none', max_tokens: 1, messages }],
  ['/v1/messages/count_tokens', { model: 'none', messages }],
  ['/api/loop/import', { source: 'tests', rows: [{ messages }] }],
]
for (const [path, body] of calls) {
  test(`a key that is revoked is none any more at ${path}`, async () => {
    const { secret, api_key } = await createKey(hone, owner)
    const headers = { authorization: `Bearer ${secret}`, 'x-api-key': secret }
    const kept = await begin(path, headers, body)
    assert.equal(await kept.finish(), path.startsWith('/api/') ? 200 : 404)
    const late = await begin(path, headers, body)
    await revokeKey(hone, api_key.key_id)
    assert.equal(await late.finish(), 401)
  })
}
