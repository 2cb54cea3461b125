// A last message of the assistant's is carried on, and a prompt that is too long is turned away, over HTTP with the bundled
// model.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const model = 'hone/hone-mini'

let hone: TestHone
before(async () => {
  hone = await testHone({ catalog: defaultCatalog })
})
after(() => hone.stop())

type Dialect = {
  path: string
  thinks: object
  textOf: (answer: Answer) => string
  promptTokens: (answer: Answer) => number
}

const dialects: Record<string, Dialect> = {
  chat: {
    path: '/v1/chat/completions',
    thinks: { reasoning_effort: 'high' },
    textOf: ({ json }) => (json as unknown as Chat).choices[0]!.message.content,
    promptTokens: ({ json }) => (json as unknown as Chat).usage.prompt_tokens,
  },
  messages: {
    path: '/v1/messages',
    thinks: { thinking: { type: 'adaptive', display: 'summarized' } },
    textOf: ({ json }) => (json as unknown as Messages).content.map(({ text }) => text).join(''),
    promptTokens: ({ json }) => (json as unknown as Messages).usage.input_tokens,
  },
}
type Chat = {
  choices: { message: { content: string; reasoning_content?: string }; finish_reason: string }[]
  usage: { prompt_tokens: number }
}
type Messages = { content: { type: string; text: string }[]; usage: { input_tokens: number } }

const question = { role: 'user', content: 'Hello!' }

async function ask({ path }: Dialect, turns: object[], fields: object = {}): Promise<Answer> {
  const body = { model, max_tokens: 200, messages: turns, prompt_cache: { mode: 'off' }, ...fields }
  const answer = await hone.call('POST', path, { bearer: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

const begin = (content: unknown) => ({ role: 'assistant', content })

for (const [name, dialect] of Object.entries(dialects)) {
  const { textOf, promptTokens } = dialect

  test(`${name}: an answer that was begun with the model's own words ends as it would have`, async () => {
    const fresh = await ask(dialect, [question])
    const whole = textOf(fresh)
    const space = whole.indexOf(' ')
    assert.ok(space > 0, whole)
    const [begun, rest] = [whole.slice(0, space), whole.slice(space)]
    const carried = await ask(dialect, [question, begin(begun)])
    assert.equal(textOf(carried), rest)
    // The words that were there, and no second turn.
    assert.ok(promptTokens(carried) > promptTokens(fresh))
    assert.ok(promptTokens(carried) <= promptTokens(fresh) + begun.length)
    // A space that ends what was begun is not written again, and it changes nothing else.
    const spaced = await ask(dialect, [question, begin(`${begun} \n`)])
    assert.equal(textOf(spaced), rest.trimStart())
    assert.equal(promptTokens(spaced), promptTokens(carried))
    const parts = await ask(dialect, [question, begin([{ type: 'text', text: begun }])])
    assert.equal(textOf(parts), rest)
  })

  test(`${name}: an empty message begins nothing`, async () => {
    const fresh = await ask(dialect, [question], dialect.thinks)
    const empty = await ask(dialect, [question, begin('  \n')], dialect.thinks)
    assert.equal(promptTokens(empty), promptTokens(fresh))
    assert.equal(textOf(empty), textOf(fresh))
    assert.equal(empty.headers.get('x-service-params-adjusted'), null)
  })

  test(`${name}: it is too late for a thought, which is said where one was asked for`, async () => {
    const turns = [question, begin('Hi')]
    const plain = await ask(dialect, turns)
    assert.equal(plain.headers.get('x-service-params-adjusted'), null)
    const asked = await ask(dialect, turns, dialect.thinks)
    assert.equal(asked.headers.get('x-service-params-adjusted'), 'reasoning_effort')
    assert.equal(textOf(asked), textOf(plain))
    assert.equal(promptTokens(asked), promptTokens(plain))
    assert.doesNotMatch(asked.text, /reasoning_content|"thinking"/)
  })

  test(`${name}: a call of a tool whose result is missing is not carried on`, async () => {
    const call =
      name === 'chat'
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          }
        : begin([{ type: 'tool_use', id: 'c', name: 'f', input: {} }])
    await ask(dialect, [question, call])
  })

  test(`${name}: a prompt that is longer than the window is refused by name`, async () => {
    for (const words of [1_500, 3_000, 400_000]) {
      const body = {
        model,
        max_tokens: 10,
        messages: [{ role: 'user', content: 'word and '.repeat(words) }],
      }
      const answer = await hone.call('POST', dialect.path, { bearer: hone.owner.key, body })
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.json.error?.param, 'messages')
      assert.match(
        answer.json.error.message,
        /^The prompt is too long: .* tokens and exceeds the context window .* room for 2047;/,
      )
    }
  })
}

test('a begun answer goes on in the format asked for, or is refused by name', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, ok: { type: 'boolean' } },
    required: ['city', 'ok'],
    additionalProperties: false,
  }
  const format = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } }
  const begun = '{"city": "Par'
  const { chat } = dialects
  const carried = chat!.textOf(await ask(chat!, [question, begin(begun)], format))
  const value = JSON.parse(begun + carried) as { city: string; ok: boolean }
  assert.match(value.city, /^Par/)
  assert.equal(typeof value.ok, 'boolean')
  const body = { model, messages: [question, begin('Here it is: {')], ...format }
  const refused = await hone.call('POST', chat!.path, { bearer: hone.owner.key, body })
  assert.equal(refused.status, 400, refused.text)
  assert.equal(refused.json.error?.param, 'messages')
})

test('after a begun answer a tool is called', async () => {
  const weather = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }
  const answer = await hone.call('POST', '/v1/chat/completions', {
    bearer: hone.owner.key,
    body: {
      model,
      max_tokens: 200,
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: weather } }],
      tool_choice: 'required',
      messages: [
        { role: 'user', content: 'What is the weather in Paris?' },
        begin('Let me look it up.'),
      ],
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const [choice] = (answer.json as unknown as Chat).choices
  assert.equal(choice?.finish_reason, 'tool_calls')
})
