// The loop switched off by the platform: which routes remain, route by route of the contract.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import { createKey } from '#test/support/accounts.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { absentId, goodBodies } from '#test/support/platform-bodies.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { readFile } from 'node:fs/promises'

const records = (routes as readonly Route[]).filter(({ path }) => path.startsWith('/api/loop/'))
/** Spec 2, errors: these are served all the same. */
const exempt = [
  'GET /api/loop/pipelines',
  'GET /api/loop/pipelines/{pipeline_id}',
  'DELETE /api/loop/pipelines/{pipeline_id}',
  'POST /api/loop/training-runs/{attempt_id}/cancel',
]

let on: LoopHone
let hone: TestHone
let pipelineId: string

before(async () => {
  on = await loopHone()
  pipelineId = (await on.pipeline('Support')).rule_id
  hone = await testHone({
    databaseUrl: on.databaseUrl,
    catalog: JSON.parse(await readFile(on.catalogFile, 'utf8')) as object,
    env: { HONE_LOOP: 'off' },
  })
})
after(async () => {
  await hone.stop()
  await on.stop()
})

function send(record: Route, key: string, body?: unknown): Promise<Answer> {
  const path = record.path.replace(/\{\w+\}/g, absentId)
  const good = goodBodies[record.name as keyof typeof goodBodies]?.()
  const sent = body ?? good
  return hone.call(record.method, path, { key, ...(sent === undefined ? {} : { body: sent }) })
}

describe('while the loop is off', () => {
  for (const record of records) {
    const title = `${record.method} ${record.path}`
    test(`${title} is ${exempt.includes(title) ? 'served' : 'refused'}`, async () => {
      const answer = await send(record, hone.owner.key)
      if (exempt.includes(title)) {
        assert.notEqual(answer.status, 403, answer.text)
      } else {
        assert.equal(answer.status, 403, answer.text)
        assert.equal(answer.json.error?.code, 'LOOP_COMING_SOON')
      }
    })

    test(`${title} still asks who calls`, async () => {
      assert.equal((await send(record, 'nobody')).status, 401)
      const session = await hone.login(hone.owner.email, hone.owner.password)
      const { secret } = await createKey(hone, session, { scopes: ['models:read'] })
      assert.equal((await send(record, secret)).json.error?.code, 'FORBIDDEN')
    })
  }

  const put = (body: unknown): Promise<Answer> =>
    hone.call('PUT', `/api/loop/pipelines/${pipelineId}`, { key: hone.owner.key, body })

  test('a pipeline can be paused, and nothing else', async () => {
    for (const body of [
      { enabled: true },
      { enabled: false, name: 'New' },
      { name: 'New' },
      { expected_revision: 1 },
      {},
      [],
      null,
    ]) {
      const answer = await put(body)
      assert.equal(answer.json.error?.code, 'LOOP_COMING_SOON', JSON.stringify(body))
    }
    assert.equal(
      (await put({ enabled: false, expected_revision: 99 })).json.error?.code,
      'REVISION_MISMATCH',
    )
    assert.equal((await put({ enabled: false, expected_revision: 1 })).status, 200)
    assert.equal((await put({ enabled: false })).status, 200)
  })

  test('no call is recorded', async () => {
    const body = { model: 'plain', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 }
    const answer = await hone.call('POST', '/v1/chat/completions', {
      bearer: hone.owner.key,
      headers: { 'x-loop-pipeline': 'support' },
      body,
    })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-loop-sample-id'), null)
  })
})
