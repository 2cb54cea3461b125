// What the document promises of single operations, in numbers and names of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '#contract/routes.ts'
import { docsPage } from '#server/http/operations/docs-page.ts'
import { openapiDocument } from '#server/http/operations/openapi.ts'

type Json = Record<string, unknown>
type Parameter = { name?: string; required?: boolean; description?: string; schema?: Json }
type Operation = Json & {
  operationId: string
  parameters: Parameter[]
  security: Json[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  responses: Record<
    string,
    { description: string; headers: Json; content: Record<string, { schema: Json }> }
  >
}

const document = openapiDocument('1.2.3')
const operations = Object.values(document.paths as Record<string, Record<string, Operation>>)
  .flatMap((methods) => Object.values(methods))
  .map((operation) => [operation.operationId, operation] as const)
const of = (name: string): Operation => Object.fromEntries(operations)[name]!

const refusals: Record<string, string> = {
  createChatCompletion: '400 401 402 404 413 429 500 502 503',
  createMessage: '400 401 402 404 413 429 500 502 503',
  countMessageTokens: '400 401 404 413 429 500 503',
  getModel: '404 503',
  login: '400 401 413 429 500 503',
  logout: '400 401 500 503',
  getWallet: '400 401 403 404 500 503',
  createApiKey: '400 401 403 404 413 500 503',
  topUpWallet: '400 401 403 404 409 413 500 503',
  readyz: '503',
  healthz: '',
}

test('an operation names each status that it may be refused with', () => {
  for (const [name, statuses] of Object.entries(refusals)) {
    const named = Object.keys(of(name).responses).filter((status) => Number(status) >= 400)
    assert.equal(named.sort().join(' '), statuses, name)
  }
})

test('every code of a refusal is named, once, under its status', () => {
  const named = (name: string, status: number) => of(name).responses[status]?.description
  for (const name of ['createChatCompletion', 'createMessage']) {
    assert.equal(
      named(name, 400),
      'invalid_json, invalid_body, missing_required_parameter, unsupported_parameter, invalid_value, unsupported_by_model, context_length_exceeded',
    )
    assert.equal(named(name, 401), 'missing_bearer_token, invalid_api_key, insufficient_scope')
    assert.equal(named(name, 402), 'insufficient_balance')
    assert.equal(named(name, 413), 'request_too_large')
    assert.equal(named(name, 503), 'unavailable, no_healthy_route')
  }
  assert.equal(named('createPipeline', 403), 'FORBIDDEN, LOOP_COMING_SOON')
  assert.equal(named('listPipelines', 403), 'FORBIDDEN')
  assert.equal(named('createPipeline', 409), 'PIPELINE_NAME_TAKEN, OWN_TAG_TAKEN')
  for (const [name, { responses }] of operations) {
    for (const { description } of Object.values(responses)) {
      const codes = description.split(', ')
      assert.equal(new Set(codes).size, codes.length, `${name}: ${description}`)
    }
  }
})

test('a refusal has the shape of its surface', () => {
  const shapes = {
    createChatCompletion: 'ChatError',
    createMessage: 'MessagesError',
    countMessageTokens: 'MessagesError',
    getModel: 'ChatError',
    getWallet: 'PlatformError',
  }
  for (const [name, shape] of Object.entries(shapes)) {
    for (const [status, { content }] of Object.entries(of(name).responses)) {
      if (Number(status) < 400) continue
      const { $ref } = content['application/json']!.schema
      assert.equal($ref, `#/components/schemas/${shape}`, `${name} ${status}`)
    }
  }
})

test('the headers that say when to try again, and that it is in vain, are named', () => {
  for (const [name, { responses }] of operations) {
    for (const [status, { headers, description }] of Object.entries(responses)) {
      const isPassing = status === '429' || status === '503' || /NOT_YET/.test(description)
      assert.equal('Retry-After' in headers, isPassing, `${name} ${status}`)
      const isFinal =
        status === '409' && /TAKEN|MISMATCH|LAST|REUSED|RUN_|REVIEWABLE/.test(description)
      assert.equal('X-Should-Retry' in headers, isFinal, `${name} ${status}`)
      assert.ok('X-Request-Id' in headers, `${name} ${status}`)
    }
  }
})

test('an operation with two answers says the body of each under its status', () => {
  const shown = (status: number): Json | undefined =>
    of('runPipeline').responses[status]?.content['application/json']?.schema
  assert.deepEqual(Object.keys(shown(201)?.properties as Json), ['attempt'])
  assert.deepEqual(Object.keys(shown(200)?.properties as Json), ['plan'])
})

test('an answer of a model names the headers that say what was made of the request', () => {
  for (const name of ['createChatCompletion', 'createMessage']) {
    assert.deepEqual(Object.keys(of(name).responses[200]!.headers), [
      'X-Request-Id',
      'X-Loop-Sample-Id',
      'X-Service-Params-Adjusted',
      'X-Service-Cache-Marker',
    ])
    const session = of(name).parameters.find((one) => one.name === 'x-session-id')
    assert.equal(session?.required, false)
    assert.ok(session?.description)
  }
})

test('an operation says which credential, scope and permission it takes', () => {
  assert.deepEqual(of('createMessage').security, [{ inferenceKey: [] }])
  assert.deepEqual(of('listModels').security, [])
  assert.deepEqual(of('logout').security, [{ session: [] }])
  assert.deepEqual(of('getUsage').security, [{ apiKey: [] }, { session: [] }])
  assert.equal(of('getUsage')['x-scope'], 'analytics:read')
  assert.equal(of('listTraces')['x-scope'], 'loop:read')
  assert.equal(of('topUpWallet')['x-permission'], 'top_up')
})

test('parameters and bodies say what is required, and within which limits', () => {
  const parameter = (name: string, called: string) =>
    of(name).parameters.find((one) => one.name === called)
  assert.equal(parameter('topUpWallet', 'idempotency-key')?.required, true)
  assert.equal(parameter('listApiKeys', 'limit')?.required, false)
  assert.deepEqual(parameter('listApiKeys', 'limit')?.schema, {
    type: 'integer',
    minimum: 1,
    maximum: 200,
  })
  assert.deepEqual(parameter('getUsage', 'group_by')?.schema?.enum, ['day', 'model', 'key'])
  assert.deepEqual(parameter('getModel', 'model')?.schema, { type: 'string' })
  assert.deepEqual(parameter('getCaptureConfig', 'deployment_id')?.schema, { type: 'string' })
  assert.deepEqual(parameter('getTrace', 'sample_id')?.schema, { type: 'string', format: 'uuid' })
  const body = of('createApiKey').requestBody!
  assert.equal(body.required, true)
  const { properties, required } = body.content['application/json']!.schema as {
    properties: Record<string, Json>
    required: string[]
  }
  assert.deepEqual(required, ['name'])
  assert.deepEqual(properties.name, { type: 'string', minLength: 1, maxLength: 120 })
  assert.deepEqual(properties.expires_at?.type, ['string', 'null'])
})

test('the page shows the parameters, the credential and the refusals of each route', () => {
  const page = docsPage(document)
  const article = (route: string) =>
    page.split('<article>').find((one) => one.includes(route)) ?? ''
  const topUp = article('<b>POST</b> /api/wallet/top-ups')
  assert.match(topUp, /<code>idempotency-key<\/code><\/td><td>header, required/)
  assert.match(topUp, /<i>Permission top_up: /)
  assert.match(topUp, /<code>409 IDEMPOTENCY_KEY_REUSED<\/code>/)
  assert.match(article('<b>GET</b> /api/analytics/usage'), /<i>Scope analytics:read\.<\/i>/)
  assert.match(article('<b>POST</b> /v1/messages<'), /<i>Bearer key with the scope serverless\./)
  assert.match(topUp, /<summary>Body<\/summary><pre>[^<]*amount_usd/)
  assert.match(topUp, /<summary>Answer 201<\/summary>/)
  assert.match(article('<b>GET</b> /api/api-keys<'), /<code>limit<\/code><\/td><td>query<\/td>/)
  assert.match(article('<b>GET</b> /api/workspaces<'), /<i>Any valid credential\.<\/i>/)
  assert.doesNotMatch(article('<b>GET</b> /healthz<'), /<table>|class="codes"/)
  for (const { path, method } of routes) {
    assert.equal(page.split(`<b>${method}</b> ${path}</code>`).length - 1, 1, `${method} ${path}`)
  }
  const traces = article('<b>GET</b> /api/loop/traces<')
  assert.equal(traces.split('503 UNAVAILABLE').length - 1, 1)
})
