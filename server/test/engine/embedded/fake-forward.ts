// A model of no weights whose next token depends on all tokens before it, so that a lost, doubled or foreign
// token of its state shows in the answer. It remembers what it was asked to compute.
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import type { Forward, ForwardRow, KvState } from '#server/engine/embedded/llama/forward.ts'
import { llamaConfig } from '#server/engine/embedded/llama/llama-config.ts'
import { toyConfig, toyMarks } from './toy-model.ts'

class FakeState implements KvState {
  tokens: number[]

  constructor(tokens: number[]) {
    this.tokens = tokens
  }

  get length(): number {
    return this.tokens.length
  }

  get bytes(): number {
    return this.tokens.length * 100
  }

  copy(length: number): KvState {
    assert.ok(length <= this.length, 'more of a state was asked for than there is')
    return new FakeState(this.tokens.slice(0, length))
  }
}

export type FakeStep = { rows: number; tokens: number[]; adapter: Adapter | null }

export class FakeForward implements Forward {
  readonly config = llamaConfig('config.json', toyConfig, undefined)
  readonly steps: FakeStep[] = []
  /** Set to make the next step fail. */
  broken = false

  newState(): KvState {
    return new FakeState([])
  }

  async step(rows: ForwardRow[], adapter: Adapter | null): Promise<Float32Array[]> {
    this.steps.push({ rows: rows.length, tokens: rows.map((row) => row.tokens.length), adapter })
    await nextTurn()
    if (this.broken) throw new Error('The session failed.')
    return rows.map(({ state, tokens }) => {
      const fake = state as FakeState
      fake.tokens.push(...Array.from(tokens))
      return this.#logits(fake.tokens, adapter)
    })
  }

  async prepare(): Promise<void> {}

  async close(): Promise<void> {}

  #logits(tokens: number[], adapter: Adapter | null): Float32Array {
    let hash = adapter ? adapter.rank : 0
    for (const token of tokens) hash = (Math.imul(hash, 31) + token + 1) >>> 0
    const letter = toyMarks.length + 'a'.charCodeAt(0) + (hash % 26)
    const logits = new Float32Array(this.config.vocabSize)
    logits[letter] = 10
    return logits
  }
}
