// What a recorded answer says of its tool calls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StopReason } from '#server/core/stop-reason.ts'
import { noUsage } from '#server/core/usage.ts'
import { AnswerCollector } from '#server/loop/capture/answer-collector.ts'

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
