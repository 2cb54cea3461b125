// Bodies that are sent to the platform and do not end: what they hold together is bounded, for each workspace and for those
// who have not signed in.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import {
  platformBodyBytesMax,
  platformBytesPerWorkspaceMax,
  sampleBodyBytesMax,
} from '#contract/limits.ts'
import { createKey, createWorkspace } from '#test/support/accounts.ts'
import { rawHttp } from '#test/support/raw-http.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

const open: Socket[] = []
after(() => open.forEach((socket) => socket.destroy()))

/** Announces a body as large as it may be and sends none of it; resolves with the first that is answered. */
function announce(head: string): Promise<string> {
  const { hostname, port } = new URL(hone.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}expect: 100-continue\r\n\r\n`),
    )
    open.push(socket)
    socket.setEncoding('latin1').once('error', reject).once('data', resolve)
  })
}

test('large bodies of one workspace that do not end leave room for others and for small ones', async () => {
  const fitting = Math.floor(platformBytesPerWorkspaceMax / sampleBodyBytesMax)
  const head =
    `POST /api/loop/traces HTTP/1.1\r\nhost: hone\r\nx-api-key: ${hone.owner.key}\r\n` +
    `content-length: ${sampleBodyBytesMax}\r\n`
  const announced = Array.from({ length: fitting }, () => announce(head))
  for (const answer of announced) assert.match(await answer, /^HTTP\/1\.1 100 /)
  // Once it is read, it is refused for what is in it.
  const large = 'x'.repeat(sampleBodyBytesMax - 1000)
  const post = (key: string, unknown: string) =>
    hone.call('POST', '/api/loop/traces', { key, body: { deployment_id: 'plain', unknown } })
  const refused = await post(hone.owner.key, large)
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.json.error?.code, 'UNAVAILABLE')
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.equal((await post(hone.owner.key, 'a small one')).status, 400)

  const owner = await hone.login(hone.owner.email, hone.owner.password)
  const elsewhere = { ...owner, 'x-workspace-id': await createWorkspace(hone, 'Elsewhere') }
  const other = await createKey(hone, elsewhere)
  assert.equal((await post(other.secret, large)).status, 400)

  for (const socket of open.splice(0)) socket.destroy()
  await until(async () => (await post(hone.owner.key, large)).status === 400)
})

test('so are those of who has not signed in, who can sign in all the same', async () => {
  const fitting = Math.floor(platformBytesPerWorkspaceMax / platformBodyBytesMax)
  const login = `POST /api/auth/login HTTP/1.1\r\nhost: hone\r\ncontent-length: ${platformBodyBytesMax}\r\n`
  const announced = Array.from({ length: fitting }, () => announce(login))
  for (const answer of announced) assert.match(await answer, /^HTTP\/1\.1 100 /)
  const answer = await rawHttp(hone.url, `${login}\r\n`)
  assert.equal(answer.status, 503, answer.text)
  assert.match(answer.text, /"code":"UNAVAILABLE"/)
  await hone.login(hone.owner.email, hone.owner.password)
})
