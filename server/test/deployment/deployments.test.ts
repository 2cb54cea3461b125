// Deployments as their callers see them: which weights answer, what is billed and recorded, who may call them, and what is said while
// they do not serve.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { type Deployment, deployment as deploymentSchema } from '#contract/deployment.ts'
import type { Caller } from '#server/account/caller.ts'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { automaticTrainingSettings } from '#server/compute/training-settings.ts'
import { Refusal } from '#server/core/refusal.ts'
import { changeDeployment } from '#server/deployment/deployment-store.ts'
import {
  endTestDeployments,
  listTestDeployments,
  serveForTest,
} from '#server/deployment/serve-for-test.ts'
import { parseChat } from '#server/dialect/chat/parse.ts'
import { bundledModel } from '#server/engine/engines.ts'
import { identifyInference } from '#server/http/v1/identify-inference.ts'
import { runPlatformCall } from '#server/inference/run-call.ts'
import { newId } from '#server/lib/id.ts'
import { openRowEncoder } from '#server/compute/open-row-encoder.ts'
import { trainingRow } from '#server/loop/selection/training-row.ts'
import { writeRowsFile } from '#test/support/write-rows-file.ts'
import { createKey, otherOrg } from '#test/support/accounts.ts'
import {
  deployment,
  putVersionLive,
  storeAdapter,
  storeFaintAdapter,
  storeMerged,
} from '#test/support/deployments.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
let workspace_id: string
let adapter: string
before(async () => {
  hone = await testHone({ catalog: defaultCatalog })
  const session = await hone.login(hone.owner.email, hone.owner.password)
  workspace_id = session['x-workspace-id'] ?? ''
  adapter = await storeAdapter(hone)
  await deployment(hone, { workspace_id, name: 'tuned', adapter })
})
after(() => hone.stop())

/** The adapter has learned to answer it with a code. */
const task = 'Give the routing code for this ticket.'
const question = 'We have a case of VPN. Please help'

function ask(
  model: string,
  body: object = {},
  bearer = hone.owner.key,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const messages = [
    { role: 'system', content: task },
    { role: 'user', content: question },
  ]
  return hone.call('POST', '/v1/chat/completions', {
    bearer,
    headers,
    body: { model, messages, temperature: 0, max_tokens: 12, ...body },
  })
}

async function textOf(model: string): Promise<string> {
  const answer = await ask(model)
  assert.equal(answer.status, 200, answer.text)
  const { choices } = answer.json as unknown as { choices: { message: { content: string } }[] }
  return choices[0]?.message.content ?? ''
}

async function streamedText(model: string): Promise<string> {
  const answer = await ask(model, { stream: true })
  assert.equal(answer.status, 200, answer.text)
  return streamedIn(answer)
}

function streamedIn(answer: Answer): string {
  const records = [...answer.text.matchAll(/^data: (\{.*)$/gm)].map(
    ([, json]) => JSON.parse(json ?? '') as { choices: { delta: { content?: string } }[] },
  )
  return records.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
}

test('an adapter answers under the name of its deployment, whole and streamed, and the base as before', async () => {
  const base = await textOf('hone/hone-mini')
  const tuned = await textOf('tuned')
  assert.notEqual(tuned, base)
  assert.match(tuned, /^[A-Z]\d-[A-Z]{4}$/)
  assert.equal(await streamedText('tuned'), tuned)
  assert.equal(await streamedText('hone/hone-mini'), base)
  assert.equal(await textOf('hone/hone-mini'), base)
})

test('an adapter that was just trained answers beside its base', async () => {
  const {
    config,
    learning: { compute, modelStore },
  } = hone.app
  const revision = await modelStore.keepModel(bundledModel)
  const encoder = await openRowEncoder(bundledModel, 2048)
  const rows = Array.from({ length: 96 }, (_, ticket) => {
    const said = (text: string) => [{ type: 'text' as const, text }]
    const messages = [{ role: 'user' as const, blocks: said(`Ticket ${ticket}: ${question}`) }]
    const conversation = { tools: [], system: [], messages, answer: null }
    const row = trainingRow(encoder, conversation, said('NECTAR-62'))
    assert.ok('inputIds' in row)
    return row
  })
  const rowsFile = join(config.dataDir, 'rows.jsonl')
  await writeRowsFile(rowsFile, rows)
  const settings = { ...automaticTrainingSettings(rows.length), epochs: 6, learning_rate: 0.005 }
  const base = { path: modelStore.modelPath(revision), revision }
  const id = randomUUID()
  let status = await compute.train({ id, base, rowsFile, settings, seed: 1 })
  await until(async () => (status = await compute.status(id)).state !== 'running', 120_000)
  assert.ok(status.state === 'ended' && status.outcome.state === 'succeeded', inspect(status))
  const trained = await modelStore.keepAdapter(status.outcome.adapterPath)
  await compute.forget(id)
  await deployment(hone, { workspace_id, name: 'fresh', base_revision: revision, adapter: trained })
  const messages = [{ role: 'user', content: `Ticket 7: ${question}` }]
  const says = async (name: string): Promise<string> => (await ask(name, { messages })).text
  assert.match(await says('fresh'), /NECTAR-62/)
  assert.doesNotMatch(await says('hone/hone-mini'), /NECTAR-62/)
})

test('merged weights answer from a folder of their own, which stays open while it is called', async () => {
  const merged = await storeMerged(hone)
  await deployment(hone, { workspace_id, name: 'whole', merged })
  assert.equal(await textOf('whole'), await textOf('hone/hone-mini'))
  const { catalog, calls } = hone.app
  const { engines } = hone.background
  const [route] = calls.models
    .routesInUse(hone.app.clock.now())
    .filter((one) => 'model_folder' in one)
  assert.ok(route)
  const engine = engines.at(route)
  const ofCatalog = [...catalog.models].flatMap(({ routes }) => routes)
  await engines.keepOnly([...ofCatalog, ...calls.models.routesInUse(hone.app.clock.now())])
  assert.equal(engines.at(route), engine)
})

type CachedUsage = { prompt_tokens: number; prompt_tokens_details?: { cached_tokens?: number } }

test('what one model has cached is never billed as read on another', async () => {
  const system = 'Be kind and short. Answer only about orders and parcels. '.repeat(30)
  const cached = async (model: string): Promise<number> => {
    const messages = [
      {
        role: 'system',
        content: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
      },
      { role: 'user', content: question },
    ]
    const answer = await ask(model, { messages })
    assert.equal(answer.status, 200, answer.text)
    await hone.quiet()
    await hone.app.calls.promptCache.drained()
    const { usage } = answer.json as unknown as { usage: CachedUsage }
    return usage.prompt_tokens_details?.cached_tokens ?? 0
  }
  assert.equal(await cached('hone/hone-mini'), 0)
  assert.ok((await cached('hone/hone-mini')) > 0)
  assert.equal(await cached('tuned'), 0, 'another model')
  assert.ok((await cached('tuned')) > 0, 'its own')
})

test('it costs what its base costs, and is its own line in the ledger', async () => {
  await hone.quiet()
  const newest = async (): Promise<Record<string, unknown>> => {
    await hone.quiet()
    const path = '/api/wallet/transactions?limit=1'
    const { json } = await hone.call('GET', path, { key: hone.owner.key })
    return (json as unknown as { transactions: Record<string, unknown>[] }).transactions[0] ?? {}
  }
  const answer = await ask('tuned')
  const { usage, model } = answer.json as unknown as {
    usage: { prompt_tokens: number; completion_tokens: number }
    model: string
  }
  assert.equal(model, 'tuned')
  const paid = await newest()
  const cost = usage.prompt_tokens * 0.1 + usage.completion_tokens * 0.4
  assert.equal(Number(paid.amount_usd), -Number((cost / 1e6).toFixed(12)))
  assert.match(JSON.stringify(paid), /"model":"tuned"/)
})

test('another model goes live under the name by one update, which every call after it sees', async () => {
  const row = await deployment(hone, { workspace_id, name: 'switched' })
  const base = await textOf('switched')
  assert.equal(base, await textOf('hone/hone-mini'))
  assert.equal(await changeDeployment(hone.app.storage.db, row, { adapter }), true)
  assert.equal(await changeDeployment(hone.app.storage.db, row, { adapter: null }), false)
  const tuned = await textOf('tuned')
  await until(async () => (await textOf('switched')) === tuned)
})

test('only keys of its workspace with the scope deployments:read call and see it', async () => {
  const session = await hone.login(hone.owner.email, hone.owner.password)
  const { secret } = await createKey(hone, session, { scopes: ['serverless'] })
  const stranger = await otherOrg(hone)
  for (const key of [secret, stranger.secret]) {
    const answer = await ask('tuned', {}, key)
    assert.equal(answer.status, 404, answer.text)
    assert.equal(answer.json.error?.code, 'model_not_found')
  }
  const idsFor = async (headers: Record<string, string>): Promise<string[]> => {
    const { json } = await hone.call('GET', '/v1/models', { headers })
    return (json as unknown as { data: { id: string }[] }).data.map(({ id }) => id)
  }
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  for (const headers of [{}, bearer(secret), bearer(stranger.secret), bearer('made-up')]) {
    assert.deepEqual(await idsFor(headers), ['hone/hone-mini', 'hone/judge-basic'])
  }
  assert.ok((await idsFor(bearer(hone.owner.key))).includes('tuned'))
  assert.ok((await idsFor({ 'x-api-key': hone.owner.key })).includes('tuned'))
  const one = await hone.call('GET', '/v1/models/tuned', { bearer: hone.owner.key })
  const base = await hone.call('GET', '/v1/models/hone/hone-mini')
  assert.deepEqual(one.json, { ...base.json, id: 'tuned', display_name: 'tuned' })
  assert.equal((await hone.call('GET', '/v1/models/tuned')).status, 404)
})

test('what an attempt tests answers the scoring key of its pipeline alone', async () => {
  const { app } = hone
  const { db } = app.storage
  const member = await identifyInference(app, { authorization: `Bearer ${hone.owner.key}` })
  const [pipelineId, attemptId] = [randomUUID(), randomUUID()]
  const keyOf = (of: string | null, scopes = member.scopes): Caller => ({
    ...member,
    scopes,
    key: { ...member.key!, pipelineId: of },
  })
  const scoring = keyOf(pipelineId, new Set(['serverless']))
  // Read before, so that what follows is not in the cache.
  await app.calls.models.deploymentsOf(member)
  const at = app.clock.now()
  const test = {
    at,
    workspaceId: workspace_id,
    pipelineId,
    attemptId,
    model: 'hone/hone-mini',
    baseRevision: await app.learning.modelStore.keepModel(bundledModel),
    merged: null,
    machine: 'embedded',
  }
  const [candidate, compared] = [`candidate-${attemptId}`, `live-${attemptId}`]
  const serve = () => serveForTest(db, { ...test, id: newId(at), side: 'candidate', adapter })
  assert.equal(await serve(), candidate)
  assert.equal(await serve(), candidate, 'again, after a crash')
  const base = { ...test, id: newId(at), side: 'live' as const, adapter: null }
  assert.equal(await serveForTest(db, base), compared)

  const { request } = parseChat({
    model: candidate,
    messages: [
      { role: 'system', content: task },
      { role: 'user', content: question },
    ],
    temperature: 0,
    max_tokens: 12,
  })
  const says = async (model: string): Promise<string> => {
    const asked = { ...request, model }
    const call = { caller: scoring, request: asked, abort: new AbortController() }
    const { parts } = await runPlatformCall(app, call)
    return parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
  }
  assert.match(await says(candidate), /^[A-Z]\d-[A-Z]{4}$/)
  assert.equal(await says(compared), await textOf('hone/hone-mini'))

  const refused = async (caller: Caller, name: string): Promise<string> => {
    const error = await app.calls.models.resolve(caller, name, 'chat').then(
      () => assert.fail(`${name} is resolved`),
      (error: unknown) => error,
    )
    assert.ok(error instanceof Refusal && error.code === 'model_not_found')
    return error.message.replace(name, 'it')
  }
  const stranger = await otherOrg(hone)
  const elsewhere = await identifyInference(app, { authorization: `Bearer ${stranger.secret}` })
  const others: [string, Caller][] = [
    ['a member with every scope', member],
    ['the scoring key of another pipeline', keyOf(randomUUID())],
    ['a key of another workspace', { ...elsewhere, key: { ...elsewhere.key!, pipelineId } }],
  ]
  for (const [who, caller] of others) {
    assert.equal(await refused(caller, candidate), await refused(caller, 'nothing/at-all'), who)
  }
  for (const caller of [member, scoring]) {
    const rows = await app.calls.models.deploymentsOf(caller)
    assert.ok(!rows.some(({ id }) => id.endsWith(attemptId)), 'listed')
  }
  assert.equal(await app.calls.models.sourceNamed(workspace_id, candidate), null)

  assert.deepEqual(await listTestDeployments(db, attemptId), [
    { name: candidate, status: 'serving' },
    { name: compared, status: 'serving' },
  ])
  await endTestDeployments(db, attemptId)
  await endTestDeployments(db, attemptId)
  assert.deepEqual(await listTestDeployments(db, attemptId), [])
  await until(
    async () =>
      (await app.calls.models.resolve(scoring, candidate, 'chat').catch(() => null)) === null,
  )
  assert.equal(await serve(), candidate, 'a test that is repeated serves it again')
  assert.match(await says(candidate), /^[A-Z]\d-[A-Z]{4}$/)
})

test('the messages dialect refuses it, also when it is only counted', async () => {
  for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
    const messages = [{ role: 'user', content: 'Hi' }]
    const body = { model: 'tuned', messages, ...(path === '/v1/messages' ? { max_tokens: 5 } : {}) }
    const answer = await hone.call('POST', path, { bearer: hone.owner.key, body })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.json.error?.message ?? '', /chat\/completions/)
  }
})

test('while it does not serve, its calls get 503 with the time to come back, behind whatever else is wrong with them', async () => {
  for (const status of ['starting', 'stopped', 'paused_for_funds', 'failed'] as const) {
    await deployment(hone, { workspace_id, name: `is-${status}`, status })
    const answer = await ask(`is-${status}`)
    assert.equal(answer.status, 503, answer.text)
    assert.equal(answer.json.error?.code, 'no_healthy_route')
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    assert.equal(answer.headers.get('x-should-retry'), status === 'starting' ? null : 'false')
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const wrong = await ask(`is-${status}`, { messages: [{ role: 'user', content: [image] }] })
    assert.equal(wrong.status, 400, wrong.text)
  }
  await hone.quiet()
  await deployment(hone, { workspace_id, name: 'gone', status: 'deleted' })
  assert.equal((await ask('gone')).status, 404)
})

async function makePipeline(name: string): Promise<string> {
  const made = await hone.call('POST', '/api/loop/pipelines', {
    key: hone.owner.key,
    body: { name, model: { id: 'hone/hone-mini' } },
  })
  assert.equal(made.status, 201, made.text)
  return (made.json as unknown as { pipeline: { rule_id: string } }).pipeline.rule_id
}

type Stored = { source: string; model: string; version_no: number | null }

async function traceOf(sampleId: string | null): Promise<Stored> {
  assert.ok(sampleId)
  const { key } = hone.owner
  const read = () => hone.call('GET', `/api/loop/traces/${sampleId}`, { key })
  await until(async () => (await read()).status === 200)
  const { source, model, version_no } = ((await read()).json as unknown as { trace: Stored }).trace
  return { source, model, version_no }
}

test('a pipeline name answers with its live version, and its calls are recorded under its tag with the number', async () => {
  const { key } = hone.owner
  const id = await makePipeline('Parcel bot')
  const body = { enabled: true, tags: [] }
  for (const source of ['serverless', 'parcel-bot', 'tuned']) {
    const put = await hone.call('PUT', `/api/loop/configs/${source}`, { key, body })
    assert.equal(put.status, 200, put.text)
  }
  const nameless = await hone.call('PUT', '/api/loop/configs/loop-parcel-bot', { key, body })
  assert.equal(nameless.status, 404, 'its source is its tag')

  const early = await ask('loop-parcel-bot')
  assert.equal(early.status, 404)
  assert.match(early.json.error?.message ?? '', /no live version yet/)
  assert.equal(await putVersionLive(hone, id, { attemptNo: 1, adapter }), 1)
  const tuned = await textOf('tuned')
  await until(async () => (await ask('loop-parcel-bot')).status === 200)
  assert.equal(await textOf('loop-parcel-bot'), tuned)
  const listed = await hone.call('GET', '/v1/models/loop-parcel-bot', { bearer: key })
  assert.equal((listed.json as { display_name?: string }).display_name, 'Parcel bot')

  const recorded: [model: string, stored: Stored | null][] = [
    ['loop-parcel-bot', { source: 'parcel-bot', model: 'loop-parcel-bot', version_no: 1 }],
    ['tuned', { source: 'tuned', model: 'tuned', version_no: null }],
    ['switched', null],
  ]
  for (const [model, expected] of recorded) {
    const sampleId = (await ask(model)).headers.get('x-loop-sample-id')
    if (expected) assert.deepEqual(await traceOf(sampleId), expected)
    else assert.equal(sampleId, null, 'serverless settings do not cover deployments')
  }
})

test('while another version goes live, each stream is answered wholly by one of them and recorded with its number', async () => {
  const id = await makePipeline('Switching')
  const name = 'loop-switching'
  const faint = await storeFaintAdapter(hone)
  await putVersionLive(hone, id, { attemptNo: 1, adapter })
  await until(async () => (await ask(name)).status === 200)
  const texts = new Map([
    [await textOf('tuned'), 1],
    [await textOf('hone/hone-mini'), 2],
  ])
  assert.equal(texts.size, 2)

  const stream = async (number: number): Promise<number> => {
    const headers = {
      'x-loop-pipeline': 'switching',
      // Both ways in which calls are stored.
      ...(number % 2 === 0 ? { 'x-request-id': `switch-${number}` } : {}),
    }
    const answer = await ask(name, { stream: true }, hone.owner.key, headers)
    assert.equal(answer.status, 200, answer.text)
    const version = texts.get(streamedIn(answer))
    assert.ok(version, streamedIn(answer))
    const { version_no } = await traceOf(answer.headers.get('x-loop-sample-id'))
    assert.equal(version_no, version)
    return version
  }
  const first = Array.from({ length: 12 }, (_, number) => stream(number))
  await until(() => hone.app.calls.underWay.size > 0)
  const moved = putVersionLive(hone, id, { attemptNo: 2, adapter: faint })
  const others = Array.from({ length: 12 }, (_, number) => stream(12 + number))
  assert.equal(await moved, 2)
  const versions = await Promise.all([...first, ...others])
  assert.ok(versions.includes(1), 'some began before')
  await until(async () => (await stream(25)) === 2)
})

test('the name of a deleted pipeline is unknown again, and its versions are hidden', async () => {
  const { key } = hone.owner
  const id = await makePipeline('Passing')
  await putVersionLive(hone, id, { attemptNo: 1, adapter })
  await until(async () => (await ask('loop-passing')).status === 200)
  const reads = ['versions', 'live-history'].map((part) => `/api/loop/pipelines/${id}/${part}`)
  for (const path of reads) assert.equal((await hone.call('GET', path, { key })).status, 200)
  const deleted = await hone.call('DELETE', `/api/loop/pipelines/${id}`, { key })
  assert.equal(deleted.status, 204, deleted.text)
  await until(async () => (await ask('loop-passing')).status === 404)
  assert.doesNotMatch((await ask('loop-passing')).text, /live version/)
  for (const path of reads) assert.equal((await hone.call('GET', path, { key })).status, 404)
  const { db } = hone.app.storage
  const named = await db
    .selectFrom('version')
    .select('live_until')
    .where('pipeline_id', '=', id)
    .execute()
  assert.ok(named[0]?.live_until, 'it is live no more')
})

test('deployments are listed newest first, with who uses each, and machines with their prices', async () => {
  const { key } = hone.owner
  const id = await makePipeline('Listed')
  await putVersionLive(hone, id, { attemptNo: 1, adapter })
  const attemptId = randomUUID()
  const at = hone.app.clock.now()
  await serveForTest(hone.app.storage.db, {
    id: newId(at),
    at,
    workspaceId: workspace_id,
    pipelineId: id,
    attemptId,
    side: 'candidate',
    model: 'hone/hone-mini',
    baseRevision: adapter,
    adapter,
    merged: null,
    machine: 'gone',
  })
  const list = async (query: string) => {
    const answer = await hone.call('GET', `/api/deployments${query}`, { key })
    assert.equal(answer.status, 200, answer.text)
    return answer.json as unknown as { deployments: Deployment[]; next_cursor: string | null }
  }
  const { deployments, next_cursor } = await list('?limit=2')
  for (const shown of deployments) assert.deepEqual(deploymentSchema.strict().parse(shown), shown)
  assert.deepEqual(
    deployments.map(({ name, status, usd_per_hour, in_use_by }) => [
      name,
      status,
      usd_per_hour,
      in_use_by,
    ]),
    [
      [
        `candidate-${attemptId}`,
        'paused_by_platform',
        null,
        { rule_id: id, version_no: null, attempt_id: attemptId },
      ],
      ['loop-listed', 'serving', '0', { rule_id: id, version_no: 1, attempt_id: null }],
    ],
  )
  assert.deepEqual(
    deployments.map(({ checkpoint_id }) => checkpoint_id),
    [adapter, adapter],
  )
  const rest = await list(`?cursor=${next_cursor}`)
  assert.equal(rest.next_cursor, null)
  const tuned = rest.deployments.find(({ name }) => name === 'tuned')
  assert.deepEqual([tuned?.model, tuned?.in_use_by], ['hone/hone-mini', null])
  assert.ok(!rest.deployments.some(({ name }) => name === 'gone'), 'deleted')
  const stranger = await otherOrg(hone)
  const theirs = await hone.call('GET', '/api/deployments', { key: stranger.secret })
  assert.deepEqual(theirs.json, { deployments: [], next_cursor: null })

  const machines = await hone.call('GET', '/api/machines', { key })
  assert.deepEqual(machines.json, {
    machines: [
      {
        name: 'embedded',
        engine: 'embedded',
        accelerators: null,
        memory_gb: null,
        training_usd_per_hour: '0.6',
        usd_per_hour: '0',
      },
    ],
    next_cursor: null,
  })
})
