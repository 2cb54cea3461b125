// What a recorded call costs while it waits to be stored: nothing large in it weighs nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import { weigh } from '#server/samples/sample/weigh.ts'

const large = 'x'.repeat(1_000_000)
const said = (block: Block, named: { name?: string } = {}) => ({
  tools: [],
  system: [],
  messages: [{ role: 'user' as const, ...named, blocks: [block] }],
})
const tool = (description: string, parameters: Record<string, unknown>) => ({
  ...said({ type: 'text', text: '' }),
  tools: [{ description, parameters }],
})

for (const [name, conversation] of [
  ['a text', said({ type: 'text', text: large })],
  ['a thought', said({ type: 'thinking', text: large, signature: '' })],
  ['arguments', said({ type: 'tool-call', id: '1', name: 'f', arguments: large })],
  ['a picture', said({ type: 'image', source: { kind: 'url', url: large } })],
  ['the name of a speaker', said({ type: 'text', text: '' }, { name: large })],
  ['what a tool is for', tool(large, {})],
  ['what a tool takes', tool('', { properties: { city: { enum: [large] } } })],
  ['a name in it', tool('', { properties: { [large]: {} } })],
] as const) {
  test(`${name} has its weight`, () => {
    const weight = weigh(conversation)
    assert.ok(weight >= large.length && weight < large.length + 1000, String(weight))
  })
}
