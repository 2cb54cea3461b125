// A stream is read the same whether its chunks look alike or not: each chunk alone, by a reader that knows no other, is
// what the shortcut is held against.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StreamPart } from '#server/core/stream-part.ts'
import { EngineError } from '#server/engine/engine.ts'
import { ChunkReader } from '#server/engine/openai-compatible/read-chunks.ts'

/** What a reader makes of the chunks, without the JSON it brings along, and whether it gave up. Thoughts count only before the first word of the answer. */
function parts(chunks: string[], readerFor: (index: number) => ChunkReader): unknown[] {
  const into: StreamPart[] = []
  try {
    chunks.forEach((data, index) => readerFor(index).record(data, into))
  } catch (error) {
    assert.ok(error instanceof EngineError)
    return [...into.filter(isSaid).map(withoutJson), 'broken']
  }
  return into.filter(isSaid).map(withoutJson)
}

function withoutJson(part: StreamPart): StreamPart {
  if (part.type !== 'text-delta' || part.json === undefined) return part
  assert.equal(JSON.parse(part.json), part.text)
  return { type: part.type, text: part.text }
}

function isSaid({ type }: StreamPart): boolean {
  return type !== 'thinking-delta'
}

const word = fc.oneof(
  fc.constantFrom('Hello', 'stub', '', '"', '\\', '\\"', '","x":"', 'stop', '\n', 'é\u2028', '}}'),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const chunk = fc
  .record({
    content: word,
    spaced: fc.boolean(),
    escaped: fc.boolean(),
    delta: fc.constantFrom(
      {},
      { role: 'assistant' },
      { refusal: null },
      { refusal: 'No.' },
      { reasoning: '' },
      { tool_calls: null },
    ),
    rest: fc.constantFrom({}, { usage: null }, { obfuscation: 'Hello' }, { error: null }),
    model: fc.constantFrom('stub', 'Hello'),
  })
  .map(({ content, spaced, escaped, delta, rest, model }) => {
    const choices = [{ index: 0, delta: { ...delta, content }, finish_reason: null }]
    const text = JSON.stringify({ id: 'c', model, choices, ...rest }, null, spaced ? 1 : undefined)
    const line = text.replaceAll('\n', '')
    return escaped ? line.replaceAll(/[^\x20-\x7e]/g, escape) : line
  })
/** Not quite a chunk: cut, or with a character put in somewhere. */
const spoiled = fc
  .tuple(
    chunk,
    fc.nat(),
    fc.constantFrom('"', '\\', '\t', '', '}', ',"content":"b"', '"content":"b",'),
  )
  .map(([text, at, put]) => {
    const place = at % text.length
    return text.slice(0, place) + put + text.slice(place + (put === '' ? 1 : 0))
  })

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

test('the shortcut through chunks that look alike changes nothing', () => {
  const chunks = fc
    .tuple(fc.array(chunk, { minLength: 1, maxLength: 6 }), fc.array(fc.oneof(chunk, spoiled)))
    .map(([first, then]) => [...first, ...first, ...then])
  fc.assert(
    fc.property(chunks, (all) => {
      const one = new ChunkReader()
      assert.deepEqual(
        parts(all, () => one),
        parts(all, () => new ChunkReader()),
      )
    }),
    { numRuns: 1000 },
  )
})

test('a word that also stands between the strings of its chunk is read like any other', () => {
  const data =
    '{"id":"c","choices":[{"index":0,"delta":{"content":"\\u002c"},"finish_reason":null}]}'
  const one = new ChunkReader()
  const comma = { type: 'text-delta', text: ',' }
  assert.deepEqual(
    parts([data, data], () => one),
    [comma, comma],
  )
})
