// What is held for a prompt before anybody has counted it: a token for each byte that a model server may read, wherever it stands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import type { CallRequest, Tool } from '#server/core/request.ts'
import { promptTokensMax } from '#server/inference/prompt-tokens-max.ts'
import { asking } from '#test/prompt-cache/requests.ts'

const request = asking({ messages: [] })
const tool: Tool = { name: '', description: '', parameters: {}, eager: false }
const said = (...blocks: Block[]): Partial<CallRequest> => ({
  messages: [{ role: 'user', blocks }],
})
const called = { type: 'tool-call', id: 'c', name: '', arguments: '' } as const
const thought = { type: 'thinking', text: '', signature: '' } as const
const result = (text: string): Block => ({
  type: 'tool-result',
  toolCallId: 'c',
  content: [{ type: 'text', text }],
  isError: false,
})

const places: Record<string, (text: string) => Partial<CallRequest>> = {
  'the system prompt': (text) => ({ system: [{ type: 'text', text }] }),
  "a tool's name": (name) => ({ tools: [{ ...tool, name }] }),
  "a tool's description": (description) => ({ tools: [{ ...tool, description }] }),
  "a tool's parameters": (text) => ({ tools: [{ ...tool, parameters: { text } }] }),
  "a tool's parameters with all their digits": (written) => ({ tools: [{ ...tool, written }] }),
  'the schema of the answer': (text) => ({ output: { kind: 'json-schema', schema: { text } } }),
  'a message': (text) => said({ type: 'text', text }),
  'the second part of a message': (text) =>
    said({ type: 'text', text: '' }, { type: 'text', text }),
  'a thought': (text) => said({ ...thought, text }),
  'the proof of a thought': (proof) => said({ ...thought, proof }),
  'the id of a call': (id) => said({ ...called, id }),
  'the id of a result': (toolCallId) => said({ ...result(''), toolCallId } as Block),
  'the name of a call': (name) => said({ ...called, name }),
  'the arguments of a call': (text) => said({ ...called, arguments: text }),
  'the result of a call': (text) => said(result(text)),
}
for (const [place, at] of Object.entries(places)) {
  test(`${place} counts with every byte`, () => {
    const most = (text: string): number => promptTokensMax({ ...request, ...at(text) })
    assert.equal(most('é'.repeat(500)) - most(''), 1000)
    assert.ok(most('') >= promptTokensMax(request))
  })
}

test('an image counts like the dearest, also in the result of a call', () => {
  const image = { type: 'image', source: { kind: 'url', url: 'https://host/a.png' } } as const
  const most = (...blocks: Block[]): number => promptTokensMax({ ...request, ...said(...blocks) })
  assert.equal(most(image, image) - most(), 4096)
  const content = [image, { type: 'text', text: 'abc' } as const]
  assert.equal(most({ ...result(''), content } as Block) - most(result('')), 2051)
})

const empty: Record<string, Partial<CallRequest>> = {
  'a system prompt': { system: [{ type: 'text', text: '' }] },
  'a tool': { tools: [tool] },
  'a message': said(),
}
test('what says nothing still has marks around it', () => {
  const most = (parts: Partial<CallRequest>): number => promptTokensMax({ ...request, ...parts })
  for (const [what, one] of Object.entries(empty)) assert.ok(most(one) >= most({}) + 8, what)
  for (const block of [called, result('')]) assert.ok(most(said(block)) >= most(said()) + 8)
})
