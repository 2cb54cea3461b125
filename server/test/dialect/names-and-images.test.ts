// Names of tools and schemas, and images: every sign that clients write them with is taken, in either dialect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallRequest, Tool } from '#server/core/request.ts'
import { parseToolChoice } from '#server/dialect/chat/parse-tools.ts'
import { parseChat } from '#server/dialect/chat/parse.ts'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'
import type { Json } from '#server/lib/json-object.ts'
import { leastBody } from '#test/support/chaos-hone.ts'

const least = { model: 'm', ...leastBody }
const schema = { type: 'object', properties: {} }

const toolNamed = {
  chat: (name: string): CallRequest =>
    parseChat({ ...least, tools: [{ type: 'function', function: { name } }] }).request,
  messages: (name: string): CallRequest =>
    parseMessagesBody({ ...least, tools: [{ name, input_schema: schema }] }).request,
}

function isRefused(what: () => unknown, param: string): void {
  assert.throws(what, (error: { code: string; detail: { param: string } }) => {
    assert.equal(error.code, 'invalid_value')
    assert.equal(error.detail.param, param)
    return true
  })
}

test('a tool may be called by letters, digits, underscores, dots, colons and dashes', () => {
  for (const parse of Object.values(toolNamed)) {
    for (const name of ['f', 'F', '9', '_', 'getWeather2', 'mcp__git-hub__list.all', 'ns:tool']) {
      assert.deepEqual(
        parse(name).tools.map((tool) => tool.name),
        [name],
      )
    }
    for (const name of ['', 'get weather', 'météo', 'a/b', 'a\n', ' a', 'a$', '"']) {
      isRefused(() => parse(name), 'tools')
    }
  }
})

test('a schema may be called by letters, digits, underscores, dots and dashes', () => {
  const named = (name: string) =>
    parseChat({
      ...least,
      response_format: { type: 'json_schema', json_schema: { name, schema } },
    }).request.output
  for (const name of ['x', 'X', '9', '_', 'My_Answer-2.v1']) {
    assert.deepEqual(named(name), { kind: 'json-schema', schema, name })
  }
  for (const name of ['', 'my answer', 'réponse', 'a/b', 'a\n', ' a', 'a:b']) {
    isRefused(() => named(name), 'response_format')
  }
})

const imageIn = {
  chat: (type: string, data: string): CallRequest =>
    parseChat({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }],
        },
      ],
    }).request,
  messages: (media_type: string, data: string): CallRequest =>
    parseMessagesBody({
      model: 'm',
      max_tokens: 1,
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type, data } }],
        },
      ],
    }).request,
}
const everySign = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

test('images are PNG, JPEG, GIF or WebP, in every sign of base64', () => {
  for (const parse of Object.values(imageIn)) {
    for (const mediaType of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
      for (const base64 of [everySign, `${everySign}AAA=`, `${everySign}AA==`, '+/+/', 'AAAA']) {
        const { messages } = parse(mediaType, base64)
        assert.deepEqual(messages, [
          {
            role: 'user',
            blocks: [{ type: 'image', source: { kind: 'bytes', mediaType, base64 } }],
          },
        ])
      }
    }
    for (const mediaType of ['image/svg+xml', 'image/bmp', 'image/tiff', 'image/', 'text/plain']) {
      isRefused(() => parse(mediaType, everySign), 'messages')
    }
    for (const data of [
      '',
      '@@@AAAA=',
      'AAAA@@@=',
      'AAA=AAAA',
      'A===',
      'AAAA====',
      'AA-_',
      '====',
    ]) {
      isRefused(() => parse('image/png', data), 'messages')
    }
  }
})

test('white space behind every sign of an image says nothing', () => {
  const image = (data: string): unknown => {
    const source = { type: 'base64', media_type: 'image/png', data }
    const messages = [{ role: 'user', content: [{ type: 'image', source }] }]
    const [block] = parseMessagesBody({ ...least, messages }).request.messages[0]!.blocks
    return block?.type === 'image' && block.source.kind === 'bytes' && block.source.base64
  }
  for (const space of [' ', '\n', '\t', '\r\n', '\f']) {
    assert.equal(image([...'iVBORw0K'].join(space)), 'iVBORw0K')
    assert.equal(image([...'iVBORw0'].join(space)), 'iVBORw0=')
  }
  // Letters whose last byte is that of a sign are none.
  for (const odd of ['iVBO Rw0\u014b', 'iVBO Rw0\v', 'iVBO\u00a0Rw0K']) {
    isRefused(() => image(odd), 'messages')
  }
})

test('tools that may be called are found among many, however many were named', () => {
  const tools = Array.from({ length: 20_000 }, (_, at) => named(at))
  const allowed = (count: number): unknown => ({
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'auto',
        tools: Array.from({ length: count }, (_, at) => ({ function: { name: nameAt(at) } })),
      },
    },
  })
  assert.equal(parseToolChoice(allowed(2) as Json, tools).tools.length, 2)
  // Looked for one by one, they took minutes.
  isRefused(() => parseToolChoice(allowed(400_000) as Json, tools), 'tool_choice')
})

const nameAt = (at: number): string => `${'x'.repeat(100)}${String(at).padStart(8, '0')}`
const named = (at: number): Tool => ({
  name: nameAt(at),
  description: '',
  parameters: schema,
  eager: true,
})
