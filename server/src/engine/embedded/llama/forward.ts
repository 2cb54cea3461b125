// Runs the serving graph over rows that each carry their own keys and values: prompts one by one, decoding rows
// together. Which rows to run and when is the scheduler's to decide.
import type { WeightPlace } from '../graph/graph.ts'
import { openSession } from '../graph/open-session.ts'
import type { Feeds, Session } from '../graph/open-session.ts'
import type { Adapter } from './adapter.ts'
import { adapterFeeds } from './adapter-feeds.ts'
import { weightPlace } from './base-weights.ts'
import { forwardGraph } from './forward-graph.ts'
import type { ForwardKind } from './forward-graph.ts'
import { KvBlock, SlotState } from './kv-state.ts'
import type { KvState } from './kv-state.ts'
import type { LlamaConfig, ModelFolder } from './read-model-folder.ts'
import { runForward } from './run-forward.ts'
import type { SeatedRow } from './run-forward.ts'
import { seatTogether } from './seat-together.ts'

export type { KvState }

export type ForwardRow = { state: KvState; tokens: ArrayLike<number> }

export interface Forward {
  readonly config: LlamaConfig
  newState(): KvState
  /** Appends each row's tokens to its state and returns the logits after each row's last token. */
  step(rows: ForwardRow[], adapter: Adapter | null): Promise<Float32Array[]>
  /** Does what the first step with an adapter would else have to do. */
  prepare(adapter: Adapter): Promise<void>
  close(): Promise<void>
}

/** A prompt runs in pieces of this many tokens, which bounds the memory of attention. */
const chunkTokens = 512

export type ForwardSetup = {
  threads: number
  /** Chosen by the size of the model where it is left out. */
  weightPlace?: WeightPlace
}

export async function openForward(model: ModelFolder, setup: ForwardSetup): Promise<Forward> {
  const place = setup.weightPlace ?? weightPlace(model)
  const open: OpenSessions = async (adapter) => {
    const session = (kind: ForwardKind) =>
      openSession(forwardGraph(model, { kind, adapter, weightPlace: place }), {
        threads: setup.threads,
        spin: kind === 'decode',
      })
    return { prompt: await session('prompt'), decode: await session('decode') }
  }
  return new LlamaForward(model.config, await open(false), () => open(true))
}

type Sessions = Record<ForwardKind, Session>

type OpenSessions = (adapter: boolean) => Promise<Sessions>

type Row = SeatedRow & { index: number }

class LlamaForward implements Forward {
  readonly config: LlamaConfig
  readonly #plain: Sessions
  readonly #openAdapted: () => Promise<Sessions>
  /** Opened when the first adapter comes, since packed weights are held once more, for all adapters. */
  #adapted: Promise<Sessions> | null = null
  /** By adapter, the block in which its rows of about the same length decode together. */
  readonly #tables = new Map<Adapter | null, Map<number, KvBlock>>()
  /** Steps run one after the other, for each moves states that the next may move again. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(config: LlamaConfig, plain: Sessions, openAdapted: () => Promise<Sessions>) {
    this.config = config
    this.#plain = plain
    this.#openAdapted = openAdapted
  }

  newState(): KvState {
    return new SlotState(new KvBlock(this.config, 1, 0), 0, 0)
  }

  step(rows: ForwardRow[], adapter: Adapter | null): Promise<Float32Array[]> {
    const result = this.#last.then(() => this.#step(rows, adapter))
    this.#last = result.catch(() => {})
    return result
  }

  async prepare(adapter: Adapter): Promise<void> {
    await this.#adaptedSessions()
    adapterFeeds(this.config, adapter)
  }

  async #step(rows: ForwardRow[], adapter: Adapter | null): Promise<Float32Array[]> {
    const checked = rows.map((row, index) => this.#check(row, index))
    if (new Set(checked.map((row) => row.state)).size !== rows.length) {
      throw new Error('A state may stand in one row of a step only.')
    }
    const sessions = adapter ? await this.#adaptedSessions() : this.#plain
    const extra = adapter ? adapterFeeds(this.config, adapter) : {}
    const logits: Float32Array[] = []
    for (const row of checked.filter(({ tokens }) => tokens.length > 1)) {
      logits[row.index] = await this.#runAlone(sessions, row, extra)
    }
    const decoding = checked.filter(({ tokens }) => tokens.length === 1)
    const groups = Map.groupBy(decoding, ({ state }) => lengthClass(state.length + 1))
    for (const [key, group] of groups) {
      const results =
        group.length === 1
          ? [await this.#runAlone(sessions, group[0]!, extra)]
          : await this.#runTogether(sessions.decode, this.#tablesOf(adapter), key, group, extra)
      group.forEach((row, i) => (logits[row.index] = results[i]!))
    }
    this.#clearTables()
    return logits
  }

  async close(): Promise<void> {
    await this.#last
    for (const sessions of [this.#plain, await this.#adapted]) {
      await sessions?.prompt.release()
      await sessions?.decode.release()
    }
  }

  #check({ state, tokens }: ForwardRow, index: number): Row {
    if (!(state instanceof SlotState)) throw new Error('The state was not made by this engine.')
    if (tokens.length === 0) throw new Error('A row needs at least one token.')
    const total = state.length + tokens.length
    if (total > this.config.contextWindow) {
      throw new RangeError(
        `${total} tokens do not fit the context window of ${this.config.contextWindow}.`,
      )
    }
    for (let i = 0; i < tokens.length; i++) {
      const id = tokens[i]!
      if (!Number.isInteger(id) || id < 0 || id >= this.config.vocabSize) {
        throw new RangeError(
          `The token id ${id} is outside the vocabulary of ${this.config.vocabSize}.`,
        )
      }
    }
    return { state, tokens, index }
  }

  #adaptedSessions(): Promise<Sessions> {
    return (this.#adapted ??= this.#openAdapted())
  }

  async #runAlone(sessions: Sessions, { state, tokens }: Row, extra: Feeds): Promise<Float32Array> {
    const kind = tokens.length === 1 ? 'decode' : 'prompt'
    state.reserve(state.length + tokens.length)
    let logits: Float32Array[] = []
    for (let start = 0; start < tokens.length; start += chunkTokens) {
      const chunk = Array.prototype.slice.call(tokens, start, start + chunkTokens) as number[]
      const seats = [{ state, tokens: chunk }]
      logits = await runForward(sessions[kind], kind, state.block, state.slot, seats, extra)
    }
    return logits[0]!
  }

  #tablesOf(adapter: Adapter | null): Map<number, KvBlock> {
    let tables = this.#tables.get(adapter)
    if (!tables) this.#tables.set(adapter, (tables = new Map<number, KvBlock>()))
    return tables
  }

  /** A block in which nobody sits any more is let go, for it may be large. */
  #clearTables(): void {
    for (const [adapter, tables] of this.#tables) {
      for (const [key, block] of tables) if (block.empty) tables.delete(key)
      if (tables.size === 0) this.#tables.delete(adapter)
    }
  }

  async #runTogether(
    session: Session,
    tables: Map<number, KvBlock>,
    key: number,
    rows: readonly Row[],
    extra: Feeds,
  ): Promise<Float32Array[]> {
    const states = rows.map(({ state }) => state)
    const block = seatTogether(this.config, tables.get(key) ?? null, states)
    tables.set(key, block)
    const seats: (Row | null)[] = Array.from({ length: block.slots }, () => null)
    for (const row of rows) seats[row.state.slot] = row
    const results = await runForward(session, 'decode', block, 0, seats, extra)
    const order = seats.filter((seat) => seat !== null)
    return rows.map((row) => results[order.indexOf(row)]!)
  }
}

/** Rows decode together if none is more than four times as long as another, for a block is as long as its longest. */
function lengthClass(length: number): number {
  return Math.max(0, Math.ceil(Math.log2(length / 512) / 2))
}
