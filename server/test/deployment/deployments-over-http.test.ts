// What members do with deployments over the API: made, stopped, started and deleted, on the embedded engine and on a model server that is
// a machine of its own; and every refusal.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Deployment } from '#contract/deployment.ts'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { createKey, createWorkspace, otherOrg } from '#test/support/accounts.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import { deployment, putVersionLive, storeAdapter } from '#test/support/deployments.ts'
import { scriptedUpstream, type ScriptedUpstream } from '#test/support/scripted-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const box = { name: 'box', engine: 'static', training_usd_per_hour: 0, serving_usd_per_hour: 6 }

let hone: TestHone
let upstream: ScriptedUpstream
let catalog: object
let workspace_id: string
before(async () => {
  upstream = await scriptedUpstream()
  const shape = { context_window: 4096, max_output_tokens: 512 }
  const route = {
    engine: 'openai-compatible',
    base_url: upstream.baseUrl,
    pricing: { input: 1, output: 1 },
  }
  catalog = {
    models: [
      ...defaultCatalog.models,
      { id: 'acme/large', ...shape, routes: [{ ...route, model: 'fine', machine: 'box' }] },
      { id: 'acme/down', ...shape, routes: [{ ...route, model: 'refuses', machine: 'box' }] },
      { id: 'acme/vendor', ...shape, routes: [route] },
    ],
    limits: { running_deployments: 6 },
    machines: [
      box,
      { name: 'embedded', engine: 'embedded', training_usd_per_hour: 0.6, serving_usd_per_hour: 0 },
    ],
  }
  hone = await testHone({ catalog })
  const session = await signedIn()
  workspace_id = session['x-workspace-id'] ?? ''
})
after(async () => {
  await hone.stop()
  await upstream.close()
})

function signedIn(): Promise<Record<string, string>> {
  return hone.login(hone.owner.email, hone.owner.password)
}

function send(method: string, path: string, body?: object, key = hone.owner.key): Promise<Answer> {
  return hone.call(method, `/api/deployments${path}`, { key, ...(body && { body }) })
}

async function made(body: object, key?: string): Promise<Deployment> {
  const answer = await send('POST', '', body, key)
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as never as { deployment: Deployment }).deployment
}

async function reaches(id: string, status: Deployment['status']): Promise<Deployment> {
  const seen: Deployment[] = []
  await until(async () => {
    const { json } = await send('GET', `/${id}`)
    seen.push((json as never as { deployment: Deployment }).deployment)
    return seen.at(-1)?.status === status
  }).catch((error: unknown) => {
    throw new Error(`it stands at ${JSON.stringify(seen.at(-1))}`, { cause: error })
  })
  return seen.at(-1)!
}

function say(model: string, bearer = hone.owner.key): Promise<Answer> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = { model, messages, max_tokens: 4 }
  return hone.call('POST', '/v1/chat/completions', { bearer, body })
}

async function all(): Promise<[id: string, status: string][]> {
  const { json } = await send('GET', '')
  const { deployments } = json as never as { deployments: Deployment[] }
  return deployments.map(({ id, status }) => [id, status])
}

async function refused(answer: Promise<Answer>): Promise<[number, string | undefined]> {
  const { status, json } = await answer
  return [status, json.error?.code]
}

async function entries(): Promise<{ kind: string; amount_usd: string; detail: object }[]> {
  await hone.quiet()
  const { json } = await hone.call('GET', '/api/wallet/transactions?limit=200', {
    key: hone.owner.key,
  })
  return (json as never as { transactions: never[] }).transactions
}

test('a model is served under a name of the workspace, stopped, started and deleted', async () => {
  const one = await made({ model: 'hone/hone-mini' })
  assert.match(one.name, /^hone-mini-[0-9a-f]{6}$/)
  assert.deepEqual([one.machine, one.usd_per_hour, one.checkpoint_id], ['embedded', '0', null])
  const serving = await reaches(one.id, 'serving')
  assert.ok(serving.started_at !== null && serving.detail === null)
  assert.equal((await say(one.name)).status, 200)
  const stop = await send('POST', `/${one.id}/stop`)
  assert.equal((stop.json as never as { deployment: Deployment }).deployment.status, 'stopped')
  const away = await say(one.name)
  assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '60'])
  assert.equal((await send('POST', `/${one.id}/stop`)).status, 200)
  assert.equal((await send('POST', `/${one.id}/start`)).status, 200)
  await reaches(one.id, 'serving')
  assert.equal((await say(one.name)).status, 200)
  // Its calls are recorded under its name, by its id.
  const config = { enabled: true, tags: ['kept'] }
  const put = await hone.call('PUT', `/api/loop/configs/${one.id}`, {
    key: hone.owner.key,
    body: config,
  })
  assert.equal(put.status, 200, put.text)
  const { deployment_id } = (put.json as never as { config: { deployment_id: string } }).config
  assert.equal(deployment_id, one.name)
  assert.ok((await say(one.name)).headers.get('x-loop-sample-id'))
  assert.equal((await send('DELETE', `/${one.id}`)).status, 204)
  assert.deepEqual(await refused(say(one.name)), [404, 'model_not_found'])
  assert.deepEqual(await refused(send('GET', `/${one.id}`)), [404, 'NOT_FOUND'])
  const actions = await hone.call('GET', '/api/audit?limit=10', { key: hone.owner.key })
  const { audit_events } = actions.json as never as { audit_events: { action: string }[] }
  assert.deepEqual(
    audit_events.map(({ action }) => action).filter((action) => action.startsWith('deployment')),
    ['deleted', 'started', 'stopped', 'created'].map((verb) => `deployment.${verb}`),
  )
})

test('on a machine of its own its time is paid for, and its tokens cost nothing', async () => {
  const { id, name } = await made({ model: 'acme/large', name: 'large-of-ours' })
  assert.equal((await reaches(id, 'serving')).usd_per_hour, '6')
  const { held_usd } = (await hone.call('GET', '/api/wallet', { key: hone.owner.key })).json
  assert.equal(held_usd, '6')
  assert.equal((await say(name)).status, 200)
  const listed = await hone.call('GET', '/v1/models', { bearer: hone.owner.key })
  const rows = (listed.json as never as { data: { id: string; pricing: object }[] }).data
  assert.deepEqual(rows.find((row) => row.id === name)?.pricing, {
    input: { min: 0, max: 0 },
    output: { min: 0, max: 0 },
  })
  await send('DELETE', `/${id}`)
  await until(async () => (await entries()).some(({ kind }) => kind === 'serving'))
  const [serving] = (await entries()).filter(({ kind }) => kind === 'serving')
  assert.deepEqual(serving && [serving.amount_usd, serving.detail], [
    '-0.1',
    { deployment_id: id, name, machine: 'box', minutes: 1 },
  ])
})

test('one whose server does not answer never serves, and says why', async () => {
  const { id } = await made({ model: 'acme/down' })
  await until(async () => {
    const { json } = await send('GET', `/${id}`)
    return (json as never as { deployment: Deployment }).deployment.detail !== null
  })
  const { status, detail } = await reaches(id, 'starting')
  assert.equal(status, 'starting')
  assert.doesNotMatch(detail ?? '', /secret|127\.0\.0\.1/)
  assert.equal((await send('POST', `/${id}/stop`)).status, 200)
})

test('what an attempt trained is served by its hash; the live version that was deleted gets its name back', async () => {
  const adapter = await storeAdapter(hone)
  const pipeline = await hone.call('POST', '/api/loop/pipelines', {
    key: hone.owner.key,
    body: { name: 'Served', model: { id: 'hone/hone-mini' } },
  })
  const { rule_id } = (pipeline.json as never as { pipeline: { rule_id: string } }).pipeline
  await putVersionLive(hone, rule_id, { attemptNo: 1, adapter })
  const beside = await made({ checkpoint_id: adapter, name: 'beside' })
  assert.deepEqual([beside.checkpoint_id, beside.in_use_by], [adapter, null])
  await reaches(beside.id, 'serving')
  assert.equal((await say('beside')).status, 200)

  const { json } = await send('GET', '')
  const { deployments } = json as never as { deployments: Deployment[] }
  const live = deployments.find(({ name }) => name === 'loop-served')
  assert.equal((await send('DELETE', `/${live?.id}`)).status, 204)
  assert.deepEqual(await refused(say('loop-served')), [404, 'model_not_found'])
  const back = await made({ checkpoint_id: adapter })
  assert.deepEqual(
    [back.name, back.in_use_by],
    ['loop-served', { rule_id, version_no: 1, attempt_id: null }],
  )
  await reaches(back.id, 'serving')
  assert.equal((await say('loop-served')).status, 200)

  // The adapter of a version that was trained on top of another is no model alone.
  const chained = 'c'.repeat(64)
  await keepAttempt(hone, rule_id, { attempt_no: 7, adapter: chained, builds_on: 1 })
  assert.deepEqual(await refused(send('POST', '', { checkpoint_id: chained })), [
    400,
    'CHAINED_ADAPTER_NOT_DEPLOYABLE',
  ])
  for (const { id } of [beside, back]) await send('DELETE', `/${id}`)
})

test('bad input is refused with the reason, and makes nothing', async () => {
  const model = 'hone/hone-mini'
  await deployment(hone, { workspace_id, name: 'taken' })
  const before = await all()
  const cases: [body: object, status: number, code: string][] = [
    [{}, 400, 'BAD_REQUEST'],
    [{ model, checkpoint_id: 'a'.repeat(64) }, 400, 'BAD_REQUEST'],
    [{ model, name: 'Not A Name' }, 400, 'BAD_REQUEST'],
    [{ model, name: 'loop-mine' }, 400, 'BAD_REQUEST'],
    [{ model, name: 'serverless' }, 400, 'BAD_REQUEST'],
    [{ model, size: 1 }, 400, 'BAD_REQUEST'],
    [{ model: 'no/such-model' }, 404, 'NOT_FOUND'],
    [{ checkpoint_id: 'a'.repeat(64) }, 404, 'NOT_FOUND'],
    [{ model: 'acme/vendor' }, 422, 'NO_GPU_FITS'],
    [{ model, name: 'taken' }, 409, 'CONFLICT'],
    [{ model, name: 'served' }, 409, 'CONFLICT'],
  ]
  for (const [body, status, code] of cases) {
    const told = await refused(send('POST', '', body))
    assert.deepEqual(told, [status, code], JSON.stringify(body))
  }
  const reader = await createKey(hone, await signedIn(), {
    scopes: ['deployments:read', 'serverless'],
  })
  const [[id = ''] = []] = before
  for (const path of ['', `/${id}/start`, `/${id}/stop`]) {
    const told = await refused(send('POST', path, { model }, reader.secret))
    assert.deepEqual(told, [403, 'FORBIDDEN'], path)
  }
  const stranger = await otherOrg(hone)
  for (const path of [`/${id}/start`, `/${id}/stop`]) {
    const told = await refused(send('POST', path, {}, stranger.secret))
    assert.deepEqual(told, [404, 'NOT_FOUND'], path)
  }
  assert.equal((await send('DELETE', `/${id}`, undefined, stranger.secret)).status, 404)
  assert.deepEqual(await all(), before)
})

test('a workspace runs so many at once, and what is stopped takes no room', async () => {
  const running = async (): Promise<number> =>
    (await all()).filter(([, status]) => status !== 'stopped').length
  const first = await made({ model: 'hone/hone-mini' })
  while ((await running()) < 6) await made({ model: 'hone/hone-mini' })
  const full = await send('POST', '', { model: 'hone/hone-mini' })
  assert.deepEqual([full.status, full.json.error?.code], [409, 'CONFLICT'])
  assert.match(full.json.error?.message ?? '', /6 deployments/)
  await send('POST', `/${first.id}/stop`)
  await made({ model: 'hone/hone-mini' })
  assert.deepEqual(await refused(send('POST', `/${first.id}/start`)), [409, 'CONFLICT'])
  // Another workspace has room of its own.
  const other = await createWorkspace(hone, 'Second')
  const theirs = await createKey(hone, {
    ...(await signedIn()),
    'x-workspace-id': other,
  })
  await made({ model: 'hone/hone-mini' }, theirs.secret)
})

test('what is there for the test of an attempt is not started, stopped or deleted by members', async () => {
  const { id } = await deployment(hone, {
    workspace_id,
    name: 'candidate-x',
    pipeline_id: workspace_id,
    attempt_id: workspace_id,
  })
  for (const path of [`/${id}/start`, `/${id}/stop`]) {
    assert.deepEqual(await refused(send('POST', path)), [409, 'CONFLICT'])
  }
  assert.deepEqual(await refused(send('DELETE', `/${id}`)), [409, 'CONFLICT'])
})

test('a model or a machine that leaves the catalog pauses what serves it, and brings it back', async () => {
  const { id, name } = await deployment(hone, { workspace_id, name: 'paused' })
  await writeFile(hone.catalogFile, JSON.stringify({ ...catalog, machines: [box] }))
  await hone.app.catalog.reload()
  await reaches(id, 'paused_by_platform')
  assert.equal((await say(name)).status, 503)
  assert.deepEqual(await refused(send('POST', '', { model: 'hone/hone-mini' })), [
    422,
    'NO_GPU_FITS',
  ])
  // A catalog that cannot be read says nothing about machines.
  await writeFile(hone.catalogFile, '{')
  await hone.app.catalog.reload()
  assert.deepEqual(await refused(send('POST', '', { model: 'hone/hone-mini' })), [
    503,
    'GPU_OPTIONS_UNAVAILABLE',
  ])
  const machines = await hone.call('GET', '/api/machines', { key: hone.owner.key })
  assert.deepEqual([machines.status, machines.json.error?.code], [503, 'GPU_OPTIONS_UNAVAILABLE'])
  await writeFile(hone.catalogFile, JSON.stringify(catalog))
  await hone.app.catalog.reload()
  await reaches(id, 'serving')
  assert.equal((await say(name)).status, 200)
})
