// What a recorded answer says: its thoughts, its text and its tool calls, and how much that is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StopReason } from '#server/core/stop-reason.ts'
import { noUsage } from '#server/core/usage.ts'
import type { StreamPart } from '#server/core/stream-part.ts'
import { standIn, writeAround } from '#server/lib/json-in-json.ts'
import { AnswerCollector } from '#server/samples/capture/answer-collector.ts'

function argumentsOf(pieces: readonly string[], reason: StopReason): string[] {
  const answer = new AnswerCollector()
  answer.take({ type: 'tool-call-start', index: 0, id: 'c1', name: 'now' })
  for (const json of pieces) answer.take({ type: 'tool-call-delta', index: 0, json })
  answer.take({ type: 'tool-call-end', index: 0 })
  answer.take({ type: 'finish', reason, usage: noUsage })
  return answer
    .written()
    .blocks.map((block) => (block.type === 'tool-call' ? block.arguments : block.type))
}

test('a call without arguments has the empty object that its caller was given', () => {
  for (const pieces of [[], [''], ['  ']]) {
    assert.deepEqual(argumentsOf(pieces, { kind: 'tool-calls' }), ['{}'])
    assert.deepEqual(argumentsOf(pieces, { kind: 'end' }), ['{}'])
  }
})

test('other arguments stay as the model wrote them, and so does a call that was cut', () => {
  assert.deepEqual(argumentsOf(['{ "a"', ': 1}'], { kind: 'tool-calls' }), ['{ "a": 1}'])
  assert.deepEqual(argumentsOf(['{"a"'], { kind: 'length' }), ['{"a"'])
  assert.deepEqual(argumentsOf([], { kind: 'length' }), [''])
})

/** The blocks with their text in its place, as they are handed over to be stored. */
function blocksOf(...parts: StreamPart[]): unknown {
  const answer = new AnswerCollector()
  for (const part of parts) answer.take(part)
  const { blocks, text } = answer.written()
  assert.equal(JSON.stringify(blocks).includes(standIn), text !== null)
  const stored = JSON.parse(writeAround(blocks, text === null ? [] : [text])) as unknown
  assert.deepEqual(answer.blocks(), stored)
  return stored
}

const thinking = (text: string): StreamPart => ({ type: 'thinking-delta', text })
const text = (text: string, json?: string): StreamPart => ({
  type: 'text-delta',
  text,
  ...(json === undefined ? {} : { json }),
})
const begun = (index: number, name: string): StreamPart => ({
  type: 'tool-call-start',
  index,
  id: `id of ${name}`,
  name,
})
const args = (index: number, json: string): StreamPart => ({ type: 'tool-call-delta', index, json })
const finish: StreamPart = { type: 'finish', reason: { kind: 'tool-calls' }, usage: noUsage }

test('an answer is its thoughts, its text and its calls, each in one piece', () => {
  const parts = [thinking('Let me '), thinking('see.'), text('Look'), text('ing "up".')]
  const calls = [begun(0, 'a'), begun(1, 'b'), args(1, '{"x"'), args(0, '{}'), args(1, ':1}')]
  assert.deepEqual(blocksOf(...parts, ...calls, finish), [
    { type: 'thinking', text: 'Let me see.', signature: '' },
    { type: 'text', text: 'Looking "up".' },
    { type: 'tool-call', id: 'id of a', name: 'a', arguments: '{}' },
    { type: 'tool-call', id: 'id of b', name: 'b', arguments: '{"x":1}' },
  ])
})

test('an answer of calls has no text, and one of nothing has an empty one', () => {
  const call = { type: 'tool-call', id: 'id of a', name: 'a', arguments: '{}' }
  assert.deepEqual(blocksOf(begun(0, 'a'), finish), [call])
  assert.deepEqual(blocksOf(text(''), begun(0, 'a'), finish), [call])
  assert.deepEqual(blocksOf(begun(2, 'a'), finish), [call], 'whatever number the first one has')
  assert.deepEqual(blocksOf(finish), [{ type: 'text', text: '' }])
  const thought = { type: 'thinking', text: 'Hm.', signature: '' }
  assert.deepEqual(blocksOf(thinking('Hm.'), finish), [thought, { type: 'text', text: '' }])
})

test('a text is the same whether its pieces bring their JSON along, none of them, or some', () => {
  const piece = `"Straße"\n😀 \\ ${'long '.repeat(200)}`
  const escaped = JSON.stringify(piece).replace('ß', '\\u00df')
  for (const jsons of [
    [escaped, escaped, escaped],
    [undefined, undefined, undefined],
    [escaped, undefined, escaped],
    [undefined, escaped, escaped],
  ]) {
    const said = blocksOf(...jsons.map((json) => text(piece, json)), finish)
    assert.deepEqual(said, [{ type: 'text', text: piece.repeat(3) }])
  }
})

test('what was taken is counted, whatever it is', () => {
  const answer = new AnswerCollector()
  const counts = [thinking('12345'), text('123'), begun(0, 'a'), args(0, '{"a":1}'), finish].map(
    (part) => {
      answer.take(part)
      return answer.characters
    },
  )
  assert.deepEqual(counts, [5, 8, 8, 15, 15])
})
