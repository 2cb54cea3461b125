// What model servers send, and what the reader of their dialect makes of it. A fixture says both as data: the records of a stream,
// the same answer in one piece, or either alone.
import assert from 'node:assert/strict'
import type { Message } from '#server/core/block.ts'
import type { StopReason } from '#server/core/stop-reason.ts'
import type { StreamPart } from '#server/core/stream-part.ts'
import { noUsage, type Usage } from '#server/core/usage.ts'
import { ProvenThoughts } from '#server/engine/anthropic-compatible/proven-thought.ts'
import { EventReader } from '#server/engine/anthropic-compatible/read-events.ts'
import { EngineError, type EngineFailure } from '#server/engine/engine.ts'
import { ChunkReader } from '#server/engine/openai-compatible/read-chunks.ts'
import type { AnswerReader } from '#server/engine/upstream/exchange.ts'
import { SseReader } from '#server/lib/sse.ts'
import type { Wire } from '#test/support/wire-answer.ts'

/** Words, a thought, or a call with all of its arguments. `id` is checked where it is said. */
export type Said = string | { thought: string } | { call: string; input: string; id?: string }

export type Told = {
  says: Said[]
  /** `tool-calls` where there are calls and nothing else is said, and else `end`. */
  ends?: StopReason
  /** Beside 7 tokens of prompt and 3 of output. */
  counts?: Partial<Usage>
  /** The size of the prompt that was told before the first word: null for none, and not checked where it is left out. */
  prompt?: Partial<Usage> | null
}

export type Failed = {
  fails: RegExp
  failure?: EngineFailure
  /** The model is at fault and not its server. */
  answerOnly?: true
  /** What a stream had handed out before. */
  said?: Said[]
}

export type Fixture = {
  wire: Wire
  stream?: string
  whole?: string
  /** The model was asked to think. */
  thinks?: boolean
  /** Ids of calls of earlier turns. */
  earlier?: string[]
} & (Told | Failed)

export type Fixtures = Record<string, Fixture>

export const hello = { role: 'assistant', content: 'Hello' }
export const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

/** What an answer became, or how it failed behind what it had said. */
type Outcome = {
  says: Said[]
  ends: StopReason | null
  usage: Usage | null
  prompt: Usage | null
  error: EngineError | null
}

/** `reader`: one that has read nothing yet. */
export function readStream(reader: AnswerReader, text: string): Outcome {
  return outcome((into) => {
    let done = false
    new SseReader(1024 * 1024).feed(Buffer.from(text), (data) => {
      done ||= reader.record(data, into)
    })
    if (!done) reader.end(into)
  })
}

/** All or nothing: of a whole answer that fails nothing is handed out. */
export function readWhole(reader: AnswerReader, text: string): Outcome {
  const read = outcome((into) => reader.whole(text, into))
  return read.error ? { ...read, says: [] } : read
}

export function readerFor({ wire, thinks = false, earlier = [] }: Fixture): AnswerReader {
  if (wire === 'anthropic') return new EventReader(new ProvenThoughts('http://u', 'm'))
  const messages = earlier.map((id): Message => ({
    role: 'assistant',
    blocks: [{ type: 'tool-call', id, name: 'f', arguments: '{}' }],
  }))
  return new ChunkReader(messages, null, { thinks })
}

function outcome(read: (into: StreamPart[]) => void): Outcome {
  const parts: StreamPart[] = []
  let error: EngineError | null = null
  try {
    read(parts)
  } catch (thrown) {
    assert.ok(thrown instanceof EngineError, String(thrown))
    error = thrown
  }
  const end = parts.at(-1)
  const finish = end?.type === 'finish' ? end : null
  const first = parts[0]
  return {
    says: saidIn(finish ? parts.slice(0, -1) : parts, error !== null),
    ends: finish?.reason ?? null,
    usage: finish?.usage ?? null,
    prompt: first?.type === 'prompt' ? first.usage : null,
    error,
  }
}

/** Neighbours put together. Whoever renders parts relies on their order: one call after another, and nothing amid a call. */
function saidIn(parts: readonly StreamPart[], mayBeCut: boolean): Said[] {
  const said: Said[] = []
  let calls = 0
  let open: { call: string; input: string; id?: string } | null = null
  for (const part of parts) {
    const last = said.at(-1)
    switch (part.type) {
      case 'text-delta':
        assert.equal(open, null, 'words amid a call')
        assert.notEqual(part.text, '', 'words without words')
        if (part.json !== undefined) assert.equal(JSON.parse(part.json), part.text)
        if (typeof last === 'string') said.splice(-1, 1, last + part.text)
        else said.push(part.text)
        break
      case 'thinking-delta':
        assert.equal(open, null, 'a thought amid a call')
        assert.notEqual(part.text, '', 'a thought without words')
        if (typeof last === 'object' && 'thought' in last) last.thought += part.text
        else said.push({ thought: part.text })
        break
      case 'tool-call-start':
        assert.equal(open, null, 'a call amid another')
        assert.equal(part.index, calls++)
        open = { call: part.name, input: '', id: part.id }
        said.push(open)
        break
      case 'tool-call-delta':
        assert.ok(open && part.index === calls - 1, 'arguments of a call that is not open')
        open.input += part.json
        break
      case 'tool-call-end':
        assert.ok(open && part.index === calls - 1, 'the end of a call that is not open')
        open = null
        break
      case 'prompt':
        assert.equal(part, parts[0], 'a prompt that is counted behind words')
        break
      case 'thinking-proof':
        break
      default:
        assert.fail(`a ${part.type} that is not the last`)
    }
  }
  assert.ok(open === null || mayBeCut, 'a call that never ends')
  return said
}

export function assertTold(read: Outcome, told: Told): void {
  if (read.error) throw read.error
  assertSaid(read.says, told.says)
  const calls = told.says.some((said) => typeof said === 'object' && 'call' in said)
  assert.deepEqual(read.ends, told.ends ?? { kind: calls ? 'tool-calls' : 'end' })
  const counts = { ...noUsage, inputTokens: 7, outputTokens: 3, ...told.counts }
  assert.deepEqual(read.usage, counts)
  if (told.prompt === null) assert.equal(read.prompt, null)
  else if (told.prompt) assert.deepEqual(read.prompt, { ...noUsage, ...told.prompt })
}

export function assertFailed({ error, says }: Outcome, failed: Failed): void {
  assert.ok(error, `it did not fail, and said ${JSON.stringify(says)}`)
  assert.match(error.message, failed.fails)
  assert.equal(error.failure, failed.failure ?? 'broken')
  assert.equal(error.answerOnly, failed.answerOnly ?? false)
  assertSaid(says, failed.said ?? [])
}

/** Ids are made up where a server gives none; each call has one of its own. */
function assertSaid(got: Said[], expected: Said[]): void {
  const ids = got.flatMap((said) => (typeof said === 'object' && 'call' in said ? [said.id] : []))
  assert.ok(
    ids.every((id) => /^[\w-]+$/.test(id ?? '')),
    ids.join(),
  )
  assert.equal(new Set(ids).size, ids.length, ids.join())
  const shown = got.map((said, index) => {
    const wanted = expected[index]
    if (typeof said !== 'object' || !('call' in said)) return said
    if (typeof wanted === 'object' && 'call' in wanted && wanted.id !== undefined) return said
    return { call: said.call, input: said.input }
  })
  assert.deepEqual(shown, expected)
}
