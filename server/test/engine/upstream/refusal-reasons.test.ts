// Why a model server refused a request, as a client learns it: in our own words, whatever the server wrote and however it
// sent it, and the connection is used again where it can be.
import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { failureOfRefusal } from '#server/engine/upstream/refusals.ts'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dialects, dig, leastBody, paths } from '#test/support/chaos-hone.ts'
import { upstreamSecret } from '#test/support/chaos-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireWhole } from '#test/support/wire-answer.ts'
import { until } from '#test/support/until.ts'

let upstream: Server
let hone: TestHone
let respond: (response: ServerResponse) => void
const sockets = new Set<Socket>()

before(async () => {
  upstream = createServer((request, response) => {
    sockets.add(request.socket)
    const isSpare = request.url?.startsWith('/spare') ?? false
    request.resume().on('end', () => (isSpare ? hello : respond)(response))
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const route = (engine: string, folder = 'v1', weight = 1) => ({
    engine: `${engine}-compatible`,
    base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/${folder}`,
    pricing: { input: 1, output: 2 },
    probe: 'none',
    weight,
  })
  const window = { context_window: 8192, max_output_tokens: 900 }
  const spare = route('openai', 'spare', 1e-6)
  hone = await testHone({
    catalog: {
      models: ['openai', 'anthropic'].flatMap((id) => [
        { id, ...window, routes: [route(id)] },
        { id: `${id}/two`, ...window, routes: [route(id, 'v1', 1e6), spare] },
      ]),
    },
  })
})
after(async () => {
  await hone.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
})

async function ask(model: string, dialect: 'chat' | 'messages' = 'chat'): Promise<Answer> {
  const body = { model, ...leastBody }
  const answer = await hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
  await hone.quiet()
  return answer
}

function says(status: number, body: string): void {
  respond = (response) => void response.writeHead(status).end(body)
}

function hello(response: ServerResponse): void {
  response.setHeader('content-type', 'application/json')
  response.end(wireWhole('openai', { text: ['Hello'] }))
}

const general = 'The model server refused the request; change it before you send it again.'
const size = 'The model server does not accept a request of this size; shorten it.'
const window =
  "The prompt is too long: it exceeds the context window (the model's maximum context limit), or max_tokens beside it does; shorten the conversation or lower max_tokens."
const image =
  'The model server could not process image data in this request; check its format and size.'
const schema = 'The model server cannot follow the JSON schema of this request; simplify it.'
const toolOrder =
  'A tool call in this conversation is not followed by its result, or a result does not follow its call; send each result right after its call.'
const stops =
  'The model server does not accept stop sequences that are only white space; leave them out.'
const content = 'The model server refused this request because of what it says; rephrase it.'
const toolSchema =
  'The model server cannot follow the JSON schema of a tool in this request; simplify it.'

const unwantedField = (field: string): string =>
  `The model server does not accept this request because of its ${field}; change that or leave it out.`

const error = (fields: object): string => JSON.stringify({ error: fields })
const anthropic = (message: string): string =>
  JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })

type Case = { status?: number; body: string; means: string; param?: string }
const cases: Record<string, Case> = {
  'a call without a result': {
    body: anthropic(
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    ),
    means: toolOrder,
    param: 'messages',
  },
  'a result without a call': {
    body: error({
      message:
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    }),
    means: toolOrder,
    param: 'messages',
  },
  'the content filter of Azure': {
    body: error({
      message: "The response was filtered due to Azure OpenAI's content management policy.",
      code: 'content_filter',
    }),
    means: content,
    param: 'messages',
  },
  'the content filter of DeepSeek': {
    body: error({ message: 'Content Exists Risk', type: 'invalid_request_error' }),
    means: content,
    param: 'messages',
  },
  'the content filter of Qwen': {
    body: error({ message: 'Input may be inappropriate.', code: 'data_inspection_failed' }),
    means: content,
    param: 'messages',
  },
  'the guardrails of Portkey': {
    status: 446,
    body: error({
      message:
        'The guardrail checks defined in the config failed. You can find more information in the `hook_results` object.',
      type: 'hooks_failed',
    }),
    means: content,
    param: 'messages',
  },
  'the moderation of OpenRouter': {
    status: 403,
    body: error({
      code: 403,
      message: 'OpenAI requires moderation on some models. Your input was flagged for "violence".',
      metadata: { reasons: ['violence'], flagged_input: upstreamSecret },
    }),
    means: content,
    param: 'messages',
  },
  'a stop text of white space': {
    body: anthropic('stop_sequences: each stop sequence must contain non-whitespace'),
    means: stops,
  },
  'a code for a long prompt': {
    body: error({ message: `Too long, ${upstreamSecret}`, code: 'context_length_exceeded' }),
    means: window,
    param: 'messages',
  },
  'a maximum context length': {
    body: JSON.stringify({
      object: 'error',
      message: "This model's maximum context length is 8192 tokens. However, you requested 9000.",
      type: 'BadRequestError',
      code: 400,
    }),
    means: window,
    param: 'messages',
  },
  'an available context size': {
    body: error({
      code: 400,
      message: 'the request exceeds the available context size, try increasing it',
      type: 'exceed_context_size_error',
    }),
    means: window,
    param: 'messages',
  },
  'a prompt that is too long': {
    body: anthropic('prompt is too long: 210000 tokens > 200000 maximum'),
    means: window,
    param: 'messages',
  },
  'an input longer than the context length': {
    body: JSON.stringify({
      object: 'error',
      message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    }),
    means: window,
    param: 'messages',
  },
  'an input length beyond the context length': {
    body: '{"error":"the input length exceeds the context length"}',
    means: window,
    param: 'messages',
  },
  'a long prompt by another status': {
    status: 413,
    body: 'Input is too long for requested model.',
    means: window,
    param: 'messages',
  },
  'a long prompt at xAI': {
    body: JSON.stringify({
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    }),
    means: window,
    param: 'messages',
  },
  'a long prompt at Moonshot': {
    body: error({
      message: 'Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)',
      type: 'invalid_request_error',
    }),
    means: window,
    param: 'messages',
  },
  'a long prompt at DashScope': {
    body: error({
      code: 'invalid_parameter_error',
      message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 9]',
    }),
    means: window,
    param: 'messages',
  },
  'a long prompt at Z.ai': {
    body: error({ code: '1261', message: 'Prompt exceeds max length' }),
    means: window,
    param: 'messages',
  },
  'a long prompt at Copilot': {
    body: error({ message: 'prompt token count of 9000 exceeds the limit of 8192' }),
    means: window,
    param: 'messages',
  },
  'a long prompt at TensorRT-LLM': {
    body: JSON.stringify({
      object: 'error',
      message: 'The sum of prompt length (9000.0), query length (0) should not exceed 8192',
      code: 400,
    }),
    means: window,
    param: 'messages',
  },
  'an image that could not be read': {
    body: anthropic('Could not process image'),
    means: image,
    param: 'messages',
  },
  'a code for an image': {
    body: error({ message: 'Bad.', type: 'invalid_request_error', code: 'invalid_image_url' }),
    means: image,
    param: 'messages',
  },
  'an image that is too large': {
    body: error({ message: 'The image is too large.' }),
    means: image,
    param: 'messages',
  },
  'images where none are taken': {
    body: error({ message: 'image input is not supported' }),
    means: image,
    param: 'messages',
  },
  'a response_format': {
    body: error({ message: "Invalid schema for response_format 'x'", param: 'response_format' }),
    means: schema,
  },
  'a grammar': { body: error({ message: 'Failed to parse grammar' }), means: schema },
  'a schema that makes too much of a grammar': {
    body: anthropic(
      'The compiled grammar is too large. Simplify your tool schemas or reduce the number of strict tools.',
    ),
    means: schema,
  },
  'a schema that names an image': {
    body: anthropic('output_config.format.schema.properties.image: not supported'),
    means: schema,
  },
  'a level of thinking': {
    body: anthropic('output_config.effort: Input should be low, medium or high'),
    means: unwantedField('reasoning effort or output format'),
  },
  'the schema of a tool': {
    body: anthropic('tools.0.custom.input_schema: JSON schema is invalid'),
    means: toolSchema,
    param: 'tools',
  },
  'a value that OpenAI does not take': {
    body: error({
      message:
        "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported.",
      type: 'invalid_request_error',
      param: 'temperature',
      code: 'unsupported_value',
    }),
    means: unwantedField('temperature'),
    param: 'temperature',
  },
  'a field that OpenAI does not know, without its param': {
    body: error({ message: `Unrecognized request argument supplied: top_k (${upstreamSecret})` }),
    means: unwantedField('top_k'),
    param: 'top_k',
  },
  'a field by the place within it': {
    body: error({ message: 'Invalid string: too long.', param: 'messages[1].tool_calls[0].id' }),
    means: 'The model server does not accept this request because of its messages; change them.',
    param: 'messages',
  },
  'the other name of a field': {
    body: error({
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    }),
    means: unwantedField('max_tokens'),
    param: 'max_tokens',
  },
  'the other name of a field, the other way round': {
    body: error({ message: "Unknown field 'max_completion_tokens'." }),
    means: unwantedField('max_tokens'),
    param: 'max_tokens',
  },
  ...Object.fromEntries(
    Object.entries({
      stop: 'stop sequences',
      stop_sequences: 'stop sequences',
      reasoning_effort: 'reasoning effort',
      thinking: 'thinking',
      output_config: 'reasoning effort or output format',
      response_format: 'output format',
      parallel_tool_calls: 'parallel tool calls',
    }).map(([param, meaning]) => [
      `a field that the other dialect has not: ${param}`,
      { body: error({ message: 'Not here.', param }), means: unwantedField(meaning) },
    ]),
  ),
  'a field that Anthropic takes no longer': {
    body: anthropic('`temperature` is deprecated for this model.'),
    means: unwantedField('temperature'),
    param: 'temperature',
  },
  'a value that vLLM does not take': {
    body: JSON.stringify({ object: 'error', message: 'top_p must be in (0, 1], got 3.0.' }),
    means: unwantedField('top_p'),
    param: 'top_p',
  },
  'a param that Hone does not send': {
    body: error({ message: upstreamSecret, param: upstreamSecret }),
    means: general,
  },
  'a field in the middle of a sentence': {
    body: error({ message: 'We are sorry about your temperature today.' }),
    means: general,
  },
  'a body that is too large': { status: 413, body: 'Payload Too Large', means: size },
  'a body that is too large for a proxy': {
    status: 413,
    body: '<html><head><title>413 Request Entity Too Large</title></head></html>',
    means: size,
  },
  'nothing known': { status: 422, body: error({ message: upstreamSecret }), means: general },
  'an image, and nothing about it': { body: anthropic('image: nope'), means: general },
  'nothing at all': { body: '', means: general },
  'a number': { body: '5', means: general },
  'a request that it quotes': {
    status: 422,
    body: JSON.stringify({
      detail: [{ type: 'missing', msg: 'Field required', input: 'an invalid image, grammar' }],
    }),
    means: general,
  },
  'a request that it quotes behind its reason': {
    body: error({ message: `Field required: ${' '.repeat(1000)}context length` }),
    means: general,
  },
}

for (const [what, { status = 400, body, means, param }] of Object.entries(cases)) {
  test(`${what}: "${means}"`, () => {
    const refused = failureOfRefusal(status, body)
    assert.equal(refused.failure, 'refused')
    assert.equal(refused.message, means)
    assert.equal(refused.param, param)
    assert.equal(refused.tooLong !== undefined, means === window)
  })
}

for (const what of [
  'a call without a result',
  'the guardrails of Portkey',
  'the moderation of OpenRouter',
  'a long prompt at Copilot',
  'a field by the place within it',
  'a body that is too large for a proxy',
  'nothing known',
]) {
  test(`clients of both dialects are told by either kind of server: ${what}`, async () => {
    const { status = 400, body, means, param = null } = cases[what]!
    says(status, body)
    for (const model of ['openai', 'anthropic']) {
      for (const dialect of dialects) {
        const answer = await ask(model, dialect)
        assert.equal(answer.status, 400)
        assert.equal(dig(answer.json, 'error.message'), means)
        assert.doesNotMatch(answer.text, new RegExp(upstreamSecret))
        if (dialect === 'messages') continue
        assert.equal(dig(answer.json, 'error.param'), param)
        const code = means === window ? 'context_length_exceeded' : 'invalid_value'
        assert.equal(dig(answer.json, 'error.code'), code)
      }
    }
  })
}

/** What servers say of the key, the account or the model of a route with the status of a refusal. */
const troubles: Record<string, string> = {
  'a key that Gemini does not know': JSON.stringify([
    { error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } },
  ]),
  'a key that xAI does not know': JSON.stringify({
    code: 'Client specified an invalid argument',
    error: `Incorrect API key provided: ${upstreamSecret}. You can obtain an API key elsewhere.`,
  }),
  'an account without funds': anthropic('Your credit balance is too low to access the API.'),
  'an account at its limit': anthropic('You have reached your specified API usage limits.'),
  'an account that was closed': anthropic('This organization has been disabled.'),
  'a code for an account at its limit': error({ code: 'billing_hard_limit_reached', message: '' }),
  'a model that DeepSeek does not have': error({ message: 'Model Not Exist' }),
  'a model that Mistral does not have': JSON.stringify({
    object: 'error',
    message: 'Invalid model: some-model',
    type: 'invalid_model',
  }),
  'a model that LiteLLM does not have': error({
    message: '/chat/completions: Invalid model name passed in model=some-model.',
    code: '400',
  }),
  'a model that LiteLLM does not have in the other dialect': anthropic(
    'anthropic_messages: Invalid model name passed in model=some-model.',
  ),
  'a key that LiteLLM without a database does not know': error({
    message: 'No connected db.',
    type: 'no_db_connection',
    code: '400',
  }),
  'a model that OpenRouter does not have': error({
    message: 'some/model is not a valid model ID',
    code: 400,
  }),
  'a model that is gone': error({ message: 'Gone.', code: 'model_decommissioned' }),
  'the page of a proxy':
    '\r\n<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>',
  'a page that has words of a reason': `<!DOCTYPE html><p>flagged: context length ${upstreamSecret}`,
}

for (const [what, body] of Object.entries(troubles)) {
  test(`${what} is no mistake of the caller`, () => {
    const { failure, message, answerOnly } = failureOfRefusal(400, body)
    assert.deepEqual([failure, answerOnly], ['broken', false])
    assert.equal(message, 'The model server answered with status 400.')
  })
}

test('where the caller made no mistake the next route is asked', async () => {
  for (const what of ['a key that xAI does not know', 'a page that has words of a reason']) {
    for (const model of ['openai', 'anthropic']) {
      for (const dialect of dialects) {
        hone.app.calls.answerPorts.health = new RouteHealth()
        says(400, troubles[what]!)
        const alone = await ask(model, dialect)
        assert.equal(alone.status, 503, alone.text)
        assert.doesNotMatch(alone.text, new RegExp(upstreamSecret))
        const two = await ask(`${model}/two`, dialect)
        assert.equal(two.status, 200, two.text)
      }
    }
  }
})

for (const code of ['tool_use_failed', 'json_validate_failed']) {
  test(`${code}: the model failed and not the caller, who may ask again, and the route is well`, async () => {
    says(400, error({ message: 'Adjust your prompt.', type: 'invalid_request_error', code }))
    for (const dialect of dialects) {
      for (let i = 0; i < 4; i++) {
        const alone = await ask('openai', dialect)
        assert.equal(alone.status, 503, alone.text)
        assert.ok(Number(alone.headers.get('retry-after')) > 0)
      }
      assert.equal((await ask('openai/two', dialect)).status, 200)
    }
    respond = hello
    assert.equal((await ask('openai')).status, 200)
  })
}

test('the words of a refusal that no sentence of ours tells are in the log line of the request, redacted and cut', async (t) => {
  const info = t.mock.method(hone.app.log, 'info', () => {})
  const told = 'The Frobnicator of this account is off'
  const key = 'sk-' + 'proj-ZS3ixKEebCxApn8uSo635uO65EYrJvKYvSm5i9uYOK6oTLNp'
  const lines = async (status: number, body: string): Promise<Record<string, unknown>[]> => {
    info.mock.resetCalls()
    says(status, body)
    const answers: Answer[] = []
    for (const model of ['openai', 'anthropic'])
      for (const dialect of dialects) answers.push(await ask(model, dialect))
    return answers.map((answer) => {
      assert.equal(answer.status, 400)
      assert.doesNotMatch(answer.text, /Frobnicator/)
      const id = answer.headers.get('x-request-id')
      const all = info.mock.calls.map(({ arguments: [line] }) => line as Record<string, unknown>)
      const [line, ...others] = all.filter(({ request_id }) => request_id === id)
      assert.ok(line && others.length === 0)
      return line
    })
  }
  const message = `${told}: bob@example.com sent ${key} ${'and more '.repeat(200)}the end`
  for (const { server_words: words } of await lines(400, error({ message, input: 'a prompt' }))) {
    assert.ok(typeof words === 'string' && words.length === 500)
    assert.ok(words.startsWith(`${told}: [redacted:email] sent [redacted:key] and more`))
  }
  for (const { server_words: words } of await lines(422, told)) assert.equal(words, told)
  for (const line of await lines(400, error({ message: 'Frobnicator: context length exceeded' })))
    assert.equal(line.server_words, undefined, 'its sentence tells the reason')
})

test('a request that such words stand in is no trouble of the route', async () => {
  says(400, error({ message: 'Field required near: your credit balance is too low' }))
  assert.equal((await ask('openai')).status, 400)
})

test('the connection of a refusal is used again', async () => {
  respond = hello
  assert.equal((await ask('openai')).status, 200)
  const before = sockets.size
  for (let i = 0; i < 5; i++) {
    says(400, cases['a grammar']!.body)
    assert.equal((await ask('openai')).status, 400)
    respond = hello
    assert.equal((await ask('openai')).status, 200)
  }
  assert.equal(sockets.size, before)
})

const slowly: Record<string, (response: ServerResponse) => void> = {
  'in pieces': (response) => {
    response.writeHead(400).write('{"error":{"code":"context_')
    setTimeout(() => response.end('length_exceeded"}}'), 30)
  },
  'without an end': (response) => {
    response.writeHead(400).write('context_length_exceeded')
  },
  'with a break behind it': (response) => {
    response.writeHead(400, { 'content-length': 500 }).write('context_length_exceeded')
    setTimeout(() => response.destroy(), 30)
  },
  'with more behind it than is read': (response) => {
    response.writeHead(400).write(`context_length_exceeded ${'x'.repeat(60_000)}`)
  },
}
for (const [how, answer] of Object.entries(slowly)) {
  test(`a reason that comes ${how} is understood, and the next call works`, async () => {
    let closed = false
    respond = (response) => {
      response.on('close', () => (closed = true))
      answer(response)
    }
    const { status, json } = await ask('openai')
    assert.equal(status, 400)
    assert.equal(dig(json, 'error.message'), window)
    await until(() => closed)
    says(200, wireWhole('openai', { text: ['Hello'] }))
    assert.equal((await ask('openai')).status, 200)
  })
}

test('a refusal whose reason never comes is one all the same', async () => {
  respond = (response) => response.writeHead(413).flushHeaders()
  const { status, json } = await ask('openai')
  assert.equal(status, 400)
  assert.equal(dig(json, 'error.message'), size)
})

test('a client that leaves while the reason is awaited takes its call along', async () => {
  let closed = false
  let reached = false
  respond = (response) => {
    response.on('close', () => (closed = true))
    response.writeHead(400).flushHeaders()
    reached = true
  }
  const leave = new AbortController()
  const call = fetch(hone.url + paths.chat, {
    method: 'POST',
    headers: { authorization: `Bearer ${hone.owner.key}` },
    body: JSON.stringify({ model: 'openai', ...leastBody }),
    signal: leave.signal,
  })
  await until(() => reached)
  leave.abort()
  await assert.rejects(call)
  await until(() => closed && hone.app.calls.underWay.size === 0)
})

test('other statuses say nothing of the request, whatever their text', async () => {
  for (const status of [401, 404, 429, 500, 529]) {
    says(status, 'context_length_exceeded')
    hone.app.calls.answerPorts.health = new RouteHealth()
    assert.equal((await ask('openai')).status, 503)
  }
})

test('a server that forbids its key to answer is no mistake of the caller', async () => {
  for (const body of [error({ code: 403, message: 'Permission denied' }), '<h1>403</h1>', '']) {
    hone.app.calls.answerPorts.health = new RouteHealth()
    says(403, body)
    assert.equal((await ask('openai', 'chat')).status, 503)
    assert.equal((await ask('openai/two', 'chat')).status, 200)
  }
})
