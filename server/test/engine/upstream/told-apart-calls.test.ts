// The many ways in which servers of the chat dialect say which tool call a fragment belongs to: in whatever order the
// fragments come, every call is put together from its own.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Message } from '#server/core/block.ts'
import type { StreamPart } from '#server/core/stream-part.ts'
import { ChunkReader } from '#server/engine/openai-compatible/read-chunks.ts'

function fragment(index: number | undefined, json: string, head: object): object {
  const call = { index, ...head, function: { ...head, arguments: json } }
  return { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }
}

const stop = {
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 3 },
}

/** How servers say which call a fragment belongs to; `first` is where it begins. */
const manners: Record<string, (at: number, first: boolean) => [number | undefined, object]> = {
  'an index each': (at, first) => [at, first ? { id: `id_${at}`, name: `f${at}` } : {}],
  'an index each and ids made up': (at, first) => [
    at,
    first ? { id: `id_${at}`, name: `f${at}` } : { id: randomUUID() },
  ],
  'one index and ids': (at, first) => [0, { id: `id_${at}`, ...(first ? { name: `f${at}` } : {}) }],
  'one index, ids and names': (at) => [0, { id: `id_${at}`, name: `f${at}` }],
  'ids alone': (at, first) => [undefined, { id: `id_${at}`, ...(first ? { name: `f${at}` } : {}) }],
  'ids and names': (at) => [undefined, { id: `id_${at}`, name: `f${at}` }],
}
for (const [manner, headOf] of Object.entries(manners)) {
  test(`fragments told apart by ${manner} come together, in whatever order they came`, () => {
    const input = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()), { maxKeys: 3 })
    const cuts = fc.array(fc.nat(40), { maxLength: 4 })
    const turns = fc.array(fc.nat(3), { maxLength: 40 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(input, cuts), { minLength: 1, maxLength: 4 }),
        turns,
        (list, order) => {
          const waiting = list.map(([of, at]) => cutInPieces(JSON.stringify(of), at))
          const whole = waiting.map((pieces) => pieces.join(''))
          const begun: number[] = []
          const reader = new ChunkReader()
          const parts: StreamPart[] = []
          const send = (at: number): void => {
            const piece = waiting[at]?.shift()
            if (piece === undefined) return
            const [index, head] = headOf(at, !begun.includes(at))
            if (!begun.includes(at)) begun.push(at)
            reader.record(JSON.stringify(fragment(index, piece, head)), parts)
          }
          for (const at of [...order, ...list.flatMap((_, at) => Array<number>(9).fill(at))])
            send(at)
          reader.record(JSON.stringify(stop), parts)
          reader.record('[DONE]', parts)
          const got = new Map<number, { id: string; json: string }>()
          for (const part of parts) {
            if (part.type === 'tool-call-start') got.set(part.index, { id: part.id, json: '' })
            const call = 'index' in part ? got.get(part.index) : undefined
            if (part.type === 'tool-call-delta' && call) call.json += part.json
          }
          assert.deepEqual(
            [...got.values()],
            begun.map((at) => ({ id: `id_${at}`, json: whole[at] })),
          )
        },
      ),
      { numRuns: 200 },
    )
  })
}

const withoutIds: Record<string, (at: number, first: boolean) => [number | undefined, object]> = {
  'an index each': (at, first) => [at, first ? { name: `f${at}` } : {}],
  'an index each and empty ids': (at, first) => [at, { id: '', name: first ? `f${at}` : '' }],
  'an index each and no id twice': (at) => [at, { id: null, name: `f${at}` }],
  'one index': (at, first) => [0, first ? { name: `f${at}` } : {}],
  'one index and names': (at) => [0, { name: `f${at}` }],
  'nothing but a name': (at, first) => [undefined, first ? { name: `f${at}` } : {}],
  names: (at) => [undefined, { name: `f${at}` }],
}
for (const [manner, headOf] of Object.entries(withoutIds)) {
  test(`calls without ids, told apart by ${manner}, get an id each`, () => {
    const reader = new ChunkReader()
    const parts: StreamPart[] = []
    const whole = ['{"a":1}', '{}', '{"b":"}"}', '{"b":"}"}']
    for (const [at, json] of whole.entries()) {
      const pieces = [...cutInPieces(json, [1, 5]), '']
      for (const [count, piece] of pieces.entries()) {
        const [index, head] = headOf(at, count === 0)
        reader.record(JSON.stringify(fragment(index, piece, head)), parts)
      }
    }
    reader.record(JSON.stringify(stop), parts)
    reader.record('[DONE]', parts)
    const begun = parts.filter((part) => part.type === 'tool-call-start')
    assert.deepEqual(
      begun.map(({ name }) => name),
      ['f0', 'f1', 'f2', 'f3'],
    )
    for (const { id } of begun) assert.match(id, /^call_\w+$/)
    assert.equal(new Set(begun.map(({ id }) => id)).size, whole.length)
    const got = whole.map((_, at) =>
      parts
        .flatMap((part) => (part.type === 'tool-call-delta' && part.index === at ? part.json : []))
        .join(''),
    )
    assert.deepEqual(got, whole)
  })
}

/** What looks through all that came before takes minutes. */
const long = { timeout: 60_000 }

test('arguments as long as a file are not read from the start for each fragment', long, () => {
  const reader = new ChunkReader()
  const parts: StreamPart[] = []
  const json = JSON.stringify({ content: 'word }{" '.repeat(100 * 1024) })
  const head = { id: 'id_0', name: 'f0' }
  for (let at = 0; at < json.length; at += 5) {
    reader.record(JSON.stringify(fragment(undefined, json.slice(at, at + 5), head)), parts)
  }
  reader.record(JSON.stringify(stop), parts)
  reader.record('[DONE]', parts)
  const got = parts.flatMap((part) => (part.type === 'tool-call-delta' ? [part.json] : []))
  assert.equal(got.join(''), json)
})

function cutInPieces(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set([0, ...cuts.filter((cut) => cut < text.length)])].sort((a, b) => a - b)
  return at.map((from, index) => text.slice(from, at[index + 1]))
}

test(
  'ids of calls are told from those of earlier turns, however many there are of both',
  long,
  () => {
    const count = 100_000
    const calls = (from: number) =>
      Array.from({ length: count }, (_, at) => ({ id: `id_${from + at}`, function: { name: 'f' } }))
    const earlier = calls(0).map(({ id }): Message => ({
      role: 'assistant',
      blocks: [{ type: 'tool-call', id, name: 'f', arguments: '{}' }],
    }))
    const parts: StreamPart[] = []
    const message = { tool_calls: calls(count / 2) }
    const answer = { choices: [{ message, finish_reason: 'stop' }], usage: stop.usage }
    new ChunkReader(earlier).whole(JSON.stringify(answer), parts)
    const ids = parts.flatMap((part) => (part.type === 'tool-call-start' ? [part.id] : []))
    const kept = ids.filter((id) => id.startsWith('id_'))
    assert.deepEqual([ids.length, kept.length, kept[0]], [count, count / 2, `id_${count}`])
  },
)

test('words of a thought are put together, however deep they lie', () => {
  const deep = (depth: number): object => {
    let part: object = { type: 'text', text: 'b'.repeat(1_000) }
    for (let at = 0; at < depth; at++) {
      part = {
        type: 'thinking',
        thinking: [{ type: 'text', text: 'a' }, part, { type: 'reference' }],
      }
    }
    return part
  }
  const parts: StreamPart[] = []
  const answer = { choices: [{ message: { content: [deep(500)] }, finish_reason: 'stop' }] }
  new ChunkReader().whole(JSON.stringify({ ...answer, usage: stop.usage }), parts)
  assert.deepEqual(parts[0], { type: 'thinking-delta', text: 'a'.repeat(500) + 'b'.repeat(1_000) })
})
