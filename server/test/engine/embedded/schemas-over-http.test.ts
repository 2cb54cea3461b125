// JSON schemas of every size and oddity, as clients send them to the bundled model in both dialects.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { validates } from './validates.ts'

const model = 'hone/hone-mini'
type Schema = Record<string, unknown>

let hone: TestHone
before(async () => {
  hone = await testHone({ catalog: defaultCatalog })
})
after(() => hone.stop())

const messages = [{ role: 'user', content: 'Give an example as JSON.' }]
const post = (path: string, body: object): Promise<Answer> =>
  hone.call('POST', path, { bearer: hone.owner.key, body: { model, messages, ...body } })

/** The whole body of the chat dialect, or of the messages dialect. */
const inChat = (schema: Schema) =>
  post('/v1/chat/completions', {
    max_tokens: 400,
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
  })
const inMessages = (schema: Schema) =>
  post('/v1/messages', {
    max_tokens: 400,
    output_config: { format: { type: 'json_schema', schema } },
  })

const textIn: ((answer: Answer) => string)[] = [
  ({ json }) =>
    (json as unknown as { choices: { message: { content: string } }[] }).choices[0]!.message
      .content,
  ({ json }) => (json as unknown as { content: { text: string }[] }).content[0]!.text,
]

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const kind = (at: number): Schema => ({
  type: 'object',
  properties: { kind: { const: `kind ${at}` }, [`field_${at}`]: { type: 'integer', maximum: 9 } },
  required: ['kind', `field_${at}`],
  additionalProperties: false,
})

let nested: Schema = { type: 'null' }
for (let level = 0; level < 16; level++) {
  nested = {
    type: 'object',
    properties: { a: nested, b: { type: 'null' }, c: { type: 'null' } },
    anyOf: [{ required: ['a', 'b'] }, { required: ['a', 'c'] }],
  }
}

const followed: Record<string, Schema> = {
  'ten thousand values': { enum: many(10_000, (at) => `value ${at}`) },
  'five hundred kinds of object': { anyOf: many(500, kind) },
  'alternatives within alternatives': nested,
  'dozens of optional members': {
    type: 'object',
    properties: Object.fromEntries(many(60, (at) => [`m${at}`, { type: 'boolean' }])),
    required: ['m59'],
    additionalProperties: false,
  },
  'a tree': {
    type: 'object',
    properties: {
      value: { type: 'integer', minimum: 1, maximum: 9 },
      kids: { type: 'array', items: { allOf: [{ $ref: '#' }] }, maxItems: 2 },
    },
    required: ['value'],
    additionalProperties: false,
  },
  'a tuple': { type: 'array', prefixItems: [{ const: 'a' }, { type: 'boolean' }], items: false },
  'a tuple in the older spelling': { type: 'array', items: [{ const: 'a' }, { type: 'boolean' }] },
  'a constant': { const: { a: [1, null, 'é'] } },
}

for (const [what, schema] of Object.entries(followed)) {
  test(`${what} is followed in both dialects`, async () => {
    for (const [dialect, ask] of [inChat, inMessages].entries()) {
      const answer = await ask(schema)
      assert.equal(answer.status, 200, answer.text)
      const text = textIn[dialect]!(answer)
      assert.ok(validates(JSON.parse(text), schema), text)
    }
  })
}

const refused: Record<string, [Schema, RegExp]> = {
  'one that permits nothing': [{ enum: [] }, /permits no value/],
  'false for what is required': [
    { type: 'object', properties: { a: false }, required: ['a'] },
    /permits no value/,
  ],
  'one that is only itself': [{ $ref: '#' }, /permits no value/],
  'a circle of references': [
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    /permits no value/,
  ],
  'what is not defined': [{ $ref: '#/$defs/gone' }, /#\/\$defs\/gone/],
  'a product of alternatives': [
    { allOf: many(20, (at) => ({ anyOf: [{ required: [`a${at}`] }, { required: [`b${at}`] }] })) },
    /too many combinations/,
  ],
  'far too many values': [{ enum: many(40_000, (at) => at) }, /30,000 values/],
}

for (const [what, [schema, sentence]] of Object.entries(refused)) {
  test(`${what} is refused by name, in one sentence`, async () => {
    const asTool = { type: 'object', properties: { a: schema }, required: ['a'] }
    // Where a tool is at fault, the references begin in the tool's own schema.
    const whole = '$ref' in schema ? { ...asTool, $defs: schema.$defs ?? {} } : asTool
    const chatTool = { type: 'function', function: { name: 'find', parameters: whole } }
    const tool = { name: 'find', input_schema: whole }
    const answers: [string, Answer][] = [
      ['response_format', await inChat(schema)],
      ['output_config', await inMessages(schema)],
      ['tools', await post('/v1/chat/completions', { tools: [chatTool] })],
      ['tools', await post('/v1/messages', { max_tokens: 9, tools: [tool] })],
    ]
    for (const [param, { status, text, json }] of answers) {
      assert.equal(status, 400, text)
      assert.equal(json.error?.param, param)
      const { message } = json.error
      // A large schema of a tool is a long prompt as well, which is then said first.
      if (param === 'tools' && /context window/.test(message)) continue
      assert.match(message, sentence)
      assert.match(message, /^The JSON schema [^.]*\.$/)
      if (param === 'tools') assert.match(message, /^The JSON schema of tool find /)
    }
  })
}

test('keywords with values of the wrong kind neither fail the call nor the route', async () => {
  const odd: Schema[] = [
    { allOf: [{ required: 1 }, { required: 2 }], type: 'object' },
    { allOf: [{ enum: 1 }, { enum: 2 }], type: 'boolean' },
    { allOf: [{ properties: null }, { properties: 7 }], type: 'object', maxProperties: 'x' },
    { type: ['boolean', 'nonsense'], anyOf: 'x', $ref: 5 },
  ]
  for (const schema of odd) {
    for (const ask of [inChat, inMessages]) {
      const answer = await ask(schema)
      assert.equal(answer.status, 200, answer.text)
    }
  }
})

test('a tool without parameters is called with an empty object', async () => {
  const without: (object | undefined | null)[] = [undefined, null, {}, { type: 'object' }]
  for (const parameters of without) {
    const named = { name: 'get_time', description: 'Tells the time' }
    const chat = await post('/v1/chat/completions', {
      tools: [{ type: 'function', function: { ...named, parameters } }],
      tool_choice: 'required',
      max_tokens: 100,
    })
    assert.equal(chat.status, 200, chat.text)
    const { choices } = chat.json as unknown as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[]
    }
    const given = choices[0]!.message.tool_calls[0]!.function.arguments
    assert.deepEqual(JSON.parse(given), {})
    if (parameters === undefined || parameters === null) continue
    const other = await post('/v1/messages', {
      tools: [{ ...named, input_schema: parameters }],
      tool_choice: { type: 'any' },
      max_tokens: 100,
    })
    assert.equal(other.status, 200, other.text)
    const { content } = other.json as unknown as { content: { type: string; input: unknown }[] }
    assert.deepEqual(content.find(({ type }) => type === 'tool_use')?.input, {})
  }
})
