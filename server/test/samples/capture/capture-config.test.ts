// What is recorded without being asked call by call: per model, for all models, with a share and a retention.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { otherOrg } from '#test/support/accounts.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { type Answer, testHone } from '#test/support/test-hone.ts'

const dayMs = 24 * 60 * 60 * 1000
let hone: LoopHone

before(async () => {
  hone = await loopHone()
  await hone.pipeline('Support')
})
after(() => hone.stop())
beforeEach(async () => {
  for (const source of ['serverless', 'plain']) await config('DELETE', source)
})

function config(
  method: string,
  source: string,
  body?: unknown,
  key = hone.owner.key,
): Promise<Answer> {
  const path = `/api/loop/configs/${encodeURIComponent(source)}`
  return hone.call(method, path, { key, ...(body === undefined ? {} : { body }) })
}

async function recorded(options: Parameters<LoopHone['ask']>[0] = {}): Promise<boolean> {
  const answer = await hone.ask(options)
  assert.equal(answer.status, 200, answer.text)
  return answer.headers.get('x-loop-sample-id') !== null
}

test('nothing is recorded until it is switched on, and then from the next call', async () => {
  assert.equal(await recorded(), false)
  const answer = await config('PUT', 'serverless', { enabled: true, tags: ['everything'] })
  assert.equal(answer.status, 200, answer.text)
  const trace = await hone.sampleOf(await hone.ask())
  assert.deepEqual(trace.tags, ['everything'])
  await config('PUT', 'serverless', { enabled: false })
  assert.equal(await recorded(), false)
})

test('one model, whose name has a slash, in both dialects', async () => {
  await config('PUT', 'plain', { enabled: true, tags: [] })
  assert.equal(await recorded(), true)
  assert.equal(await recorded({ dialect: 'messages' }), true)
  assert.equal(await recorded({ model: 'wide' }), false)
  const answer = await config('PUT', 'hone/hone-mini', { enabled: true })
  assert.equal(answer.status, 200)
  assert.equal(
    (answer.json as unknown as { config: { deployment_id: string } }).config.deployment_id,
    'hone/hone-mini',
  )
})

test('capture off in a header is over it', async () => {
  await config('PUT', 'serverless', { enabled: true })
  assert.equal(await recorded({ headers: { 'x-loop-capture': 'off' } }), false)
  assert.equal(await recorded({ headers: { 'x-loop-capture': 'on' } }), true)
})

test('a share of calls is kept', async () => {
  await config('PUT', 'serverless', { enabled: true, sample_rate: 0 })
  assert.equal(await recorded(), false)
  assert.equal(await recorded({ headers: { 'x-loop-pipeline': 'support' } }), true)
  await config('PUT', 'serverless', { enabled: true, sample_rate: 0.5 })
  const calls = await Promise.all(Array.from({ length: 200 }, () => recorded()))
  const kept = calls.filter(Boolean).length
  // Twelve standard deviations to each side.
  assert.ok(kept > 15 && kept < 185, `${kept} of 200`)
})

test('a switch that is turned while calls are under way costs none of them anything', async () => {
  const turning = (async () => {
    for (let turn = 0; turn < 20; turn++) {
      const body = { enabled: turn % 2 === 0, tags: [`turn-${turn}`] }
      assert.equal((await config('PUT', 'plain', body)).status, 200)
    }
  })()
  const answers = await Promise.all(Array.from({ length: 60 }, () => hone.ask()))
  await turning
  const named = answers.filter((answer) => answer.headers.get('x-loop-sample-id') !== null)
  for (const answer of answers) assert.equal(answer.status, 200, answer.text)
  // Every sample that was promised comes, under the tags of one of the settings.
  for (const answer of named) {
    const { tags } = await hone.sampleOf(answer)
    assert.match(tags.join(), /^turn-\d*[02468]$/)
  }
})

test('a retention of its own', async () => {
  await config('PUT', 'plain', { enabled: true, retention_days: 1 })
  const trace = await hone.sampleOf(await hone.ask())
  assert.equal(Date.parse(trace.expires_at) - Date.parse(trace.created_at), dayMs)
})

test('what was put is what is read, with what was left out', async () => {
  const untouched = (await config('GET', 'plain')).json as unknown as { config: object }
  assert.deepEqual(untouched.config, {
    deployment_id: 'plain',
    enabled: false,
    tags: [],
    sample_rate: 1,
    retention_days: null,
    updated_at: null,
  })
  await config('PUT', 'plain', { enabled: true, tags: ['b', 'a', 'b'], sample_rate: 0.25 })
  const { config: put } = (await config('GET', 'plain')).json as unknown as {
    config: Record<string, unknown>
  }
  assert.deepEqual(put.tags, ['b', 'a'])
  assert.equal(put.sample_rate, 0.25)
  await config('PUT', 'plain', { enabled: true })
  const again = (await config('GET', 'plain')).json as unknown as {
    config: Record<string, unknown>
  }
  assert.deepEqual(again.config.tags, [], 'a configuration is put whole')
})

describe('limits', () => {
  for (const [name, body, status] of [
    ['a rate of 0', { sample_rate: 0 }, 200],
    ['a rate of 1', { sample_rate: 1 }, 200],
    ['a rate above 1', { sample_rate: 1.01 }, 400],
    ['a rate below 0', { sample_rate: -0.01 }, 400],
    ['a rate of null', { sample_rate: null }, 200],
    ['a rate as text', { sample_rate: '0.5' }, 400],
    ['one day', { retention_days: 1 }, 200],
    ['no day', { retention_days: 0 }, 400],
    ['3,650 days', { retention_days: 3650 }, 200],
    ['3,651 days', { retention_days: 3651 }, 400],
    ['half a day', { retention_days: 1.5 }, 400],
    ['32 tags', { tags: Array.from({ length: 32 }, (_, i) => `t${i}`) }, 200],
    ['33 tags', { tags: Array.from({ length: 33 }, (_, i) => `t${i}`) }, 400],
    ['a tag of 63', { tags: ['x'.repeat(63)] }, 200],
    ['a tag of 64', { tags: ['x'.repeat(64)] }, 400],
    ['a tag in upper case', { tags: ['A'] }, 400],
    ['no switch', { enabled: undefined }, 400],
    ['an unknown field', { workspace_id: 'x' }, 400],
  ] as const) {
    test(`${name} is ${status}`, async () => {
      const answer = await config('PUT', 'plain', { enabled: true, ...body })
      assert.equal(answer.status, status, answer.text)
    })
  }
})

test('a source that is none is 404', async () => {
  for (const source of ['nobody', 'loop-support', '__proto__', '../x']) {
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await config(method, source)).status, 404, source)
    }
    assert.equal((await config('PUT', source, { enabled: true })).status, 404, source)
  }
})

test('a workspace decides only for itself', async () => {
  const stranger = await otherOrg(hone)
  await config('PUT', 'serverless', { enabled: true }, stranger.secret)
  assert.equal(await recorded(), false)
  assert.equal((await config('GET', 'support', undefined, stranger.secret)).status, 404)
})

test('another process hears of a change at once', async () => {
  const second = await testHone({
    databaseUrl: hone.databaseUrl,
    catalog: JSON.parse(
      await (await import('node:fs/promises')).readFile(hone.catalogFile, 'utf8'),
    ) as object,
  })
  try {
    const ask = async (): Promise<boolean> => {
      const answer = await second.call('POST', '/v1/chat/completions', {
        bearer: hone.owner.key,
        body: { model: 'plain', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 },
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.headers.get('x-loop-sample-id') !== null
    }
    assert.equal(await ask(), false)
    await config('PUT', 'serverless', { enabled: true })
    // A notification needs a moment; a memory that is never told would stay wrong for good.
    await eventually(ask, (isHeard) => isHeard)
  } finally {
    await second.stop()
  }
})
