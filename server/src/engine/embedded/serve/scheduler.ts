// Decides what the model computes next. In each round every running answer gets one token, rows of one adapter
// together, and the prompts in line get one bounded piece, so that neither waits long for the other.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StreamPart } from '../../../core/stream-part.ts'
import { EngineError } from '../../engine.ts'
import type { Adapter } from '../llama/adapter.ts'
import type { Forward } from '../llama/forward.ts'
import { FairQueue } from './fair-queue.ts'
import { PrefixCache } from './prefix-cache.ts'
import { ownerOf, Row } from './row.ts'
import type { Job } from './row.ts'

export type SchedulerLimits = {
  /** Rows computed together. */
  rowsMax: number
  waitingMax: number
  /** Prompt tokens a round, and so in one step at most: nobody is heard while a step is computed. */
  promptPiece: number
  cacheBytes: number
}

export type SchedulerEvents = {
  deliver(id: number, parts: StreamPart[]): void
  fail(id: number, error: EngineError): void
  loadAdapter(folder: string): Promise<Adapter>
}

/**
 * A row whose reader is slow gives its place to others, but so many may be kept at most. One workspace keeps no more than leave
 * the places of one lot free: were all of its readers to stop, the others would else wait for them.
 */
const keptRowsFactor = 4

export class Scheduler {
  readonly #forward: Forward
  readonly #limits: SchedulerLimits
  readonly #events: SchedulerEvents
  readonly #waiting: FairQueue<Job>
  readonly #cache: PrefixCache
  /** In the order in which they get their turn. */
  readonly #rows = new Map<number, Row>()
  /** The job whose adapter is being read; null once it is cancelled. */
  #admitted: Job | null = null
  #running = false

  constructor(forward: Forward, limits: SchedulerLimits, events: SchedulerEvents) {
    this.#forward = forward
    this.#limits = limits
    this.#events = events
    this.#waiting = new FairQueue(limits.waitingMax)
    this.#cache = new PrefixCache(limits.cacheBytes)
  }

  /** Throws where a workspace has no place left to wait in. */
  checkRoom(workspaceId: string): void {
    if (this.#waiting.hasRoom(workspaceId)) return
    const sentence = 'Too many requests are waiting for this model; try again shortly.'
    throw new EngineError('overloaded', sentence)
  }

  submit(job: Job): void {
    this.checkRoom(job.workspaceId)
    this.#waiting.push(job)
    this.#wake()
  }

  cancel(id: number): void {
    this.#waiting.remove(id)
    if (this.#admitted?.id === id) this.#admitted = null
    const row = this.#rows.get(id)
    if (row) this.#retire(row)
    this.#wake()
  }

  /** The reader took some parts, so more may be sent. */
  credit(id: number, parts: number): void {
    const row = this.#rows.get(id)
    if (row) row.job.credit += parts
    this.#wake()
  }

  /** Reads an adapter before its first call. */
  async load(adapterFolder: string): Promise<void> {
    await this.#forward.prepare(await this.#events.loadAdapter(adapterFolder))
  }

  /** Whether an answer in progress is computed with it. */
  uses(adapter: Adapter): boolean {
    for (const row of this.#rows.values()) if (row.adapter === adapter) return true
    return false
  }

  #wake(): void {
    if (this.#running) return
    this.#running = true
    void this.#run()
  }

  async #run(): Promise<void> {
    // Messages are heard between rounds: cancellations and new requests take effect at the next one.
    while (this.#hasWork()) {
      await this.#admit()
      await this.#decode()
      await this.#readPrompts()
      await nextTurn()
    }
    this.#running = false
  }

  #hasWork(): boolean {
    for (const row of this.#rows.values()) if (!row.paused) return true
    return this.#waiting.size > 0 && this.#waiting.has(this.#mayStart())
  }

  /**
   * Which workspaces may have one more row. While all places are taken, one that has none still gets one, and the rows take turns:
   * it would otherwise wait until an answer of somebody else is complete, however long that one is.
   */
  #mayStart(): (workspaceId: string) => boolean {
    const { rowsMax } = this.#limits
    const keptMax = keptRowsFactor * rowsMax
    if (this.#rows.size >= keptMax) return () => false
    const kept = new Map<string, { rows: number; active: number }>()
    let active = 0
    for (const { job, paused } of this.#rows.values()) {
      const own = kept.get(job.workspaceId) ?? { rows: 0, active: 0 }
      kept.set(job.workspaceId, own)
      own.rows++
      if (paused) continue
      own.active++
      active++
    }
    return (workspaceId) => {
      const own = kept.get(workspaceId)
      if (!own) return true
      return own.rows < keptMax - rowsMax && (active < rowsMax || own.active === 0)
    }
  }

  #nextJob(): Job | undefined {
    return this.#waiting.size === 0 ? undefined : this.#waiting.pop(this.#mayStart())
  }

  async #admit(): Promise<void> {
    for (let job = this.#nextJob(); job; job = this.#nextJob()) {
      try {
        const { adapterFolder } = job
        this.#admitted = job
        const adapter = adapterFolder ? await this.#events.loadAdapter(adapterFolder) : null
        if (this.#admitted !== job) continue
        const state = this.#cache.find(ownerOf(job), job.prompt) ?? this.#forward.newState()
        this.#rows.set(job.id, new Row(job, adapter, state))
      } catch (error) {
        this.#events.fail(job.id, asEngineError(error))
      }
    }
  }

  async #decode(): Promise<void> {
    const ready = [...this.#rows.values()].filter((row) => !row.reading && !row.paused)
    const chosen = ready.slice(0, this.#limits.rowsMax)
    for (const [adapter, rows] of Map.groupBy(chosen, (row) => row.adapter)) {
      await this.#step(rows, adapter, 1)
    }
    if (ready.length > chosen.length) this.#toTheEnd(chosen)
  }

  async #readPrompts(): Promise<void> {
    const reading = [...this.#rows.values()].filter((row) => row.reading)
    let budget = this.#limits.promptPiece
    for (const row of reading) {
      if (budget <= 0) return
      const { length } = row.pending(budget)
      await this.#step([row], row.adapter, budget)
      budget -= length
      this.#toTheEnd([row])
    }
  }

  /** Computes up to `tokensMax` tokens of each row; those that are up to date then get their next token. */
  async #step(rows: Row[], adapter: Adapter | null, tokensMax: number): Promise<void> {
    const live = rows.filter((row) => this.#rows.has(row.job.id))
    if (live.length === 0) return
    let logits: Float32Array[]
    try {
      const steps = live.map((row) => ({ state: row.state, tokens: row.pending(tokensMax) }))
      logits = await this.#forward.step(steps, adapter)
    } catch (error) {
      for (const row of live) this.#drop(row, error)
      return
    }
    live.forEach((row, index) => this.#advance(row, logits[index]!))
  }

  #advance(row: Row, logits: Float32Array): void {
    // It may have been cancelled while it was computed.
    if (!this.#rows.has(row.job.id) || row.state.length < row.tokens.length) return
    try {
      if (row.reading) this.#publish(row)
      const parts = row.pick(logits)
      if (parts.length > 0) this.#events.deliver(row.job.id, parts)
      if (row.job.turn.finished) this.#retire(row)
    } catch (error) {
      this.#drop(row, error)
    }
  }

  /** After a failure nothing that the row has computed is trusted. */
  #drop(row: Row, error: unknown): void {
    if (!this.#rows.delete(row.job.id)) return
    if (row.entry) this.#cache.remove(row.entry)
    this.#events.fail(row.job.id, asEngineError(error))
  }

  /** From here on others may start from this row's prompt (spec 1, caching rule 14). */
  #publish(row: Row): void {
    row.entry = { owner: row.owner, tokens: row.job.prompt, state: row.state }
    this.#cache.add(row.entry)
  }

  /** A row that is done leaves its state behind, in a copy that holds no more memory than it needs. */
  #retire(row: Row): void {
    this.#rows.delete(row.job.id)
    if (!row.entry) return
    this.#cache.remove(row.entry)
    const { length } = row.state
    const state = row.state.copy(length)
    this.#cache.add({ owner: row.owner, tokens: row.tokens.slice(0, length), state })
  }

  #toTheEnd(rows: Row[]): void {
    for (const row of rows) {
      if (this.#rows.delete(row.job.id)) this.#rows.set(row.job.id, row)
    }
  }
}

function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  return new EngineError('broken', 'The model failed while it computed this answer.', {
    cause: error,
  })
}
