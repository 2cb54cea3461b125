// What a server of the messages dialect may say again and again: its counts, and the beginning of its message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { ProvenThoughts } from '#server/engine/anthropic-compatible/proven-thought.ts'
import { EventReader } from '#server/engine/anthropic-compatible/read-events.ts'

const end = { type: 'message_stop' }

function read(...events: object[]): StreamPart[] {
  const reader = new EventReader(new ProvenThoughts('http://a.example', 'm'))
  const parts: StreamPart[] = []
  for (const event of events) reader.record(JSON.stringify(event), parts)
  return parts
}

test('counts under names that nobody knows do not pile up', () => {
  const usage = { input_tokens: 3, output_tokens: 2 }
  // Each report was copied with all that had come before it: some minutes.
  const odd = Array.from({ length: 100_000 }, (_, at) => ({
    type: 'message_delta',
    usage: { [`count_${at}`]: at },
  }))
  const parts = read(
    { type: 'message_start', message: { usage: { input_tokens: 3, cache_read_input_tokens: 1 } } },
    ...odd,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    end,
  )
  const finish = parts.at(-1)
  assert.ok(finish?.type === 'finish')
  assert.equal(finish.usage.inputTokens, 3)
  assert.equal(finish.usage.cacheReadTokens, 1)
  assert.equal(finish.usage.outputTokens, 2)
})

test('a message that begins again and again says the size of its prompt once', () => {
  const start = { type: 'message_start', message: { usage: { input_tokens: 3 } } }
  const word = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } }
  const parts = read(start, word, start, word, start, word)
  assert.deepEqual(
    parts.map(({ type }) => type),
    ['prompt', 'text-delta', 'text-delta', 'text-delta'],
  )
})
