// The line that each answer leaves in the log: whose request it was, what it was told, and how loudly.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { App } from '#server/app.ts'
import { logAnswer, loggedStatus } from '#server/http/log-requests.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
before(async () => {
  hone = await testHone({ tasks: [] })
})
after(() => hone.stop())

type Line = Record<string, unknown>

test('it names the workspace and the key, on either surface, and never who did not get in', async (t) => {
  const { key } = hone.owner
  const me = await hone.call('GET', '/api/api-keys/introspect', { key })
  const { key_id, workspace } = me.json as unknown as { key_id: string; workspace: { id: string } }
  const info = t.mock.method(hone.app.log, 'info', () => {})
  const lines = (): Line[] => info.mock.calls.map((call) => call.arguments[0] as Line)
  const body = { model: 'nobody', messages: [{ role: 'user', content: 'Hi' }] }
  const whose = { workspace_id: workspace.id, key_id }
  for (const [method, route, given, line] of [
    ['GET', '/api/workspaces', { key }, { status: 200, ...whose }],
    ['POST', '/v1/chat/completions', { bearer: key, body }, { status: 404, ...whose }],
    ['POST', '/v1/messages/count_tokens', { bearer: key, body }, { status: 404, ...whose }],
    ['GET', '/api/workspaces', { key: 'nobody' }, { status: 401 }],
  ] as const) {
    const before = lines().length
    await hone.call(method, route, given)
    await until(() => lines().length > before)
    // What is undefined is not in the line.
    const { request_id: _, ms: __, ...said } = JSON.parse(JSON.stringify(lines().at(-1))) as Line
    assert.deepEqual(said, { method, route, ...line })
  }
})

test('it is an error from 500 on, and seconds in the metric are seconds', () => {
  const said: string[] = []
  const seen: unknown[] = []
  const app = {
    log: { info: () => said.push('info'), error: () => said.push('error') },
    metrics: {
      requests: { add: (...labels: string[]) => seen.push(labels) },
      requestSeconds: { observe: (...given: unknown[]) => seen.push(given) },
    },
  } as unknown as App
  const facts = { id: 'a', method: 'GET', route: '/r', ms: 1500, caller: null }
  for (const status of [200, 499, 500, 503]) logAnswer(app, { ...facts, status })
  assert.deepEqual(said, ['info', 'info', 'error', 'error'])
  assert.deepEqual(seen.slice(0, 2), [
    ['/r', '200'],
    [{ route: '/r' }, 1.5],
  ])
})

test('a client that left before it was told anything is a status of its own', () => {
  const told = (headersSent: boolean): number =>
    loggedStatus({ headersSent, statusCode: 200 } as Parameters<typeof loggedStatus>[0])
  assert.deepEqual([told(true), told(false)], [200, 499])
})
