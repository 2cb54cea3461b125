// One answer on its way: what each picked token counts for, and what its first and its last part say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sampling } from '#server/core/request.ts'
import type { StopReason } from '#server/core/stop-reason.ts'
import { noUsage } from '#server/core/usage.ts'
import { EngineError } from '#server/engine/engine.ts'
import type { Turn } from '#server/engine/embedded/generate/turn.ts'
import { tokenSet } from '#server/engine/embedded/grammar/token-set.ts'
import type { KvState } from '#server/engine/embedded/llama/forward.ts'
import { type Job, Row } from '#server/engine/embedded/serve/row.ts'

const state = (length = 0): KvState => ({ length, bytes: 0, copy: state })
const all = tokenSet(4, [0, 1, 2, 3])

/** A turn that ends with its `length`-th token and remembers what it was told. */
class PlayedTurn {
  allowed = all
  wanted = all
  outputTokens = 0
  thinkingTokens = 2
  readonly told: [token: number, cutShort: boolean][] = []
  readonly #length: number

  constructor(length: number) {
    this.#length = length
  }

  get finished(): StopReason | null {
    return this.outputTokens < this.#length ? null : { kind: 'end' }
  }

  next() {
    return { allowed: this.allowed, wanted: this.wanted }
  }

  accept(token: number, cutShort: boolean) {
    this.outputTokens++
    this.told.push([token, cutShort])
    return [{ type: 'text-delta' as const, text: `${token}` }]
  }
}

function rowOf(turn: PlayedTurn, changes: Partial<Job> = {}, sampling: Sampling = {}): Row {
  const job: Job = {
    ...{ id: 1, workspaceId: 'w', adapterFolder: null, prompt: [3, 3, 3], tokensPerBlock: null },
    ...{ turn: turn as unknown as Turn, sampling: { temperature: 0, ...sampling }, credit: 10 },
    ...changes,
  }
  return new Row(job, null, state(1))
}

function picks(logits: number[], count: number, sampling: Sampling): number[] {
  const turn = new PlayedTurn(99)
  const row = rowOf(turn, {}, sampling)
  for (let picked = 0; picked < count; picked++) row.pick(Float32Array.from(logits))
  return turn.told.map(([token]) => token)
}

test('a token counts against itself as often as it was picked, and those of the prompt do not', () => {
  assert.deepEqual(picks([10, 7.9, 0, 0], 4, { frequencyPenalty: 1 }), [0, 0, 0, 1])
  assert.deepEqual(picks([10, 9.5, 0, 0], 4, { presencePenalty: 1 }), [0, 1, 0, 0])
  assert.deepEqual(picks([10, 9.5, 0, 9.8], 2, { presencePenalty: 1 }), [0, 3])
  assert.deepEqual(picks([10, 9.5, 0, 0], 3, {}), [0, 0, 0])
})

test('an answer begins with the size of its prompt and ends with what it used', () => {
  const tokensPerBlock = [1, 2]
  const turn = new PlayedTurn(2)
  const row = rowOf(turn, { tokensPerBlock })
  const logits = Float32Array.from([10, 0, 0, 0])
  const prompt = { ...noUsage, inputTokens: 3 }
  assert.ok(row.reading)
  assert.deepEqual(row.pick(logits), [
    { type: 'prompt', usage: prompt, tokensPerBlock },
    { type: 'text-delta', text: '0' },
  ])
  assert.ok(!row.reading)
  assert.deepEqual(row.pick(logits), [
    { type: 'text-delta', text: '0' },
    {
      type: 'finish',
      reason: { kind: 'end' },
      usage: { ...prompt, outputTokens: 2, thinkingTokens: 2 },
      reusedTokens: 1,
      tokensPerBlock,
    },
  ])
  assert.equal(row.job.credit, 6)
  assert.deepEqual(row.tokens, [3, 3, 3, 0, 0])
})

test('tokens of blocks are not spoken of where nobody asked for them', () => {
  const parts = rowOf(new PlayedTurn(1)).pick(Float32Array.from([10, 0, 0, 0]))
  assert.ok(parts.every((part) => !('tokensPerBlock' in part)))
})

test('a row waits for its reader once its credit is spent, and not before it has begun', () => {
  const row = rowOf(new PlayedTurn(9), { credit: 3 })
  const logits = Float32Array.from([10, 0, 0, 0])
  row.pick(logits)
  assert.ok(!row.paused)
  row.pick(logits)
  assert.ok(row.paused)
  assert.ok(!rowOf(new PlayedTurn(9), { credit: 0 }).paused)
})

test('an answer is cut short where it preferred a token that it had no room for', () => {
  const turn = new PlayedTurn(9)
  const row = rowOf(turn)
  const logits = Float32Array.from([9, 10, 0, 0])
  turn.allowed = tokenSet(4, [0])
  row.pick(logits)
  turn.allowed = tokenSet(4, [0, 1])
  row.pick(logits)
  turn.allowed = turn.wanted = tokenSet(4, [0])
  row.pick(logits)
  assert.deepEqual(turn.told, [
    [0, true],
    [1, false],
    [0, false],
  ])
})

test('a model with no token that may come next has failed', () => {
  const turn = new PlayedTurn(9)
  turn.allowed = turn.wanted = tokenSet(4)
  assert.throws(
    () => rowOf(turn).pick(Float32Array.from([1, 2, 3, 4])),
    (error) => error instanceof EngineError && /no token/.test(error.message),
  )
})

test('what is computed next is what the state does not hold yet', () => {
  const row = rowOf(new PlayedTurn(9), { prompt: [5, 6, 7, 8] })
  assert.deepEqual(row.pending(2), [6, 7])
  assert.deepEqual(row.pending(9), [6, 7, 8])
})
