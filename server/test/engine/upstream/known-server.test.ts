// Servers that name themselves in their answers are asked in the way that they take: as the first answer tells, from the second on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dialects, type Json } from '#test/support/chaos-hone.ts'
import { chaosRoute, type ChaosUpstream } from '#test/support/chaos-upstream.ts'

const heads: Record<string, { head: Record<string, string>; isKnown: boolean }> = {
  'llama.cpp': { head: { server: 'llama.cpp' }, isKnown: true },
  LiteLLM: { head: { server: 'uvicorn', 'x-litellm-version': '1.106.2' }, isKnown: true },
  'any other': { head: { server: 'uvicorn' }, isKnown: false },
}
const wires = ['openai', 'anthropic'] as const

let rig: ChaosHone
before(async () => {
  // Each has an engine of its own, because what was learned stays with it.
  const route = (upstream: ChaosUpstream, wire: (typeof wires)[number], seconds: number) =>
    chaosRoute(upstream, wire, 'ok', { first_byte_seconds: seconds })
  rig = await chaosHone((upstream) => [
    ...Object.keys(heads).flatMap((name, index) =>
      wires.map((wire) => ({
        id: `${wire}/${name}`.replaceAll(' ', '-'),
        routes: [route(upstream, wire, 100 + index)],
      })),
    ),
    ...['named', 'begun', 'other'].map((id, index) => ({
      id,
      routes: [route(upstream, 'openai', 200 + index)],
    })),
    { id: 'whole', routes: [chaosRoute(upstream, 'openai', 'ok', { whole_only: true })] },
  ])
})
after(() => rig.stop())

/** The bodies of two calls, one after the other. */
async function twice(fields: object, head: Record<string, string>): Promise<[Json, Json]> {
  rig.upstream.head = head
  const { body: first } = await rig.reached('chat', fields)
  const { body: second } = await rig.reached('chat', fields)
  return [first, second]
}

for (const [name, { head, isKnown }] of Object.entries(heads)) {
  for (const wire of wires) {
    test(`${name}, ${wire}: a whole answer is ${isKnown ? 'streamed, so that it can be cancelled' : 'asked for whole'}`, async () => {
      const model = `${wire}/${name}`.replaceAll(' ', '-')
      const [first, second] = await twice({ model }, head)
      assert.equal(first.stream ?? false, false)
      assert.equal(second.stream ?? false, isKnown)
    })
  }
}

const tool = (name: string): object => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
})
const named = {
  tools: [tool('first'), tool('second')],
  tool_choice: { type: 'function', function: { name: 'second' } },
}
const namesOf = ({ tools }: Json): unknown[] =>
  (tools as { function: Json }[]).map((one) => one.function.name)

test('llama.cpp: a tool that has to be called is the only one', async () => {
  const [first, second] = await twice({ model: 'named', ...named }, { server: 'llama.cpp' })
  assert.deepEqual(namesOf(first), ['first', 'second'])
  assert.deepEqual(first.tool_choice, named.tool_choice)
  assert.deepEqual(namesOf(second), ['second'])
  assert.equal(second.tool_choice, 'required')
  const { body } = await rig.reached('chat', { model: 'named', ...named, tool_choice: 'auto' })
  assert.deepEqual([namesOf(body), body.tool_choice], [['first', 'second'], 'auto'])
})

test('any other: a tool that has to be called is named among the others', async () => {
  const [, second] = await twice({ model: 'other', ...named }, {})
  assert.deepEqual(namesOf(second), ['first', 'second'])
  assert.deepEqual(second.tool_choice, named.tool_choice)
})

test('llama.cpp: it is told to go on with a begun turn, which it would else repeat', async () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hel' },
  ]
  const [first, second] = await twice({ model: 'begun', messages }, { server: 'llama.cpp' })
  assert.equal(first.continue_final_message, undefined)
  assert.deepEqual([second.continue_final_message, second.add_generation_prompt], [true, false])
})

test('a server that counts only whole answers is asked for no other, and clients get their stream', async () => {
  rig.upstream.head = {}
  for (const dialect of dialects) {
    for (const stream of [true, false]) {
      for (const max_tokens of [100, 8000]) {
        const fields = { model: 'whole', stream, max_tokens }
        const { body } = await rig.reached(dialect, fields)
        assert.equal(body.stream ?? false, false)
        assert.equal(body.stream_options, undefined)
        const { text } = await rig.post(dialect, fields)
        assert.match(text, /Hello/)
        assert.equal(text.includes('data: '), stream)
      }
    }
  }
})
