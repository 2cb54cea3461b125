// Walks attempts: claims those whose time has come, gathers facts, decides, acts and writes the move down. The only place that knows
// leases: while one process holds an attempt, no other touches it, and one that dies loses it when the lease runs out.
import type { Transaction } from 'kysely'
import type { App } from '../../app.ts'
import type { Database } from '../../storage/schema.ts'
import * as due from './attempt-due-store.ts'
import * as store from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import { type EffectName, type FailingName, isEffectName } from './effect-names.ts'
import { effect, effects } from './effects.ts'
import { nextFailing, nextTry } from './failing.ts'
import { gatherFacts } from './facts.ts'
import { Moved, withoutFailing, type Written, writtenOf } from './moves.ts'
import { nextStep, stepBeforeFacts } from './next-step.ts'
import { onlyGathered, type Step } from './step.ts'

const leaseMs = 30_000
const renewMs = 10_000

/** So many at once in this process; training itself takes turns at compute. */
const walksMax = 8
/** With those that end, which do not wait for a slot. */
const walksMaxWithEnding = 16
/** A portion of what a test asks takes seconds; after each, others that are due get its slot. */
const portions: readonly EffectName[] = ['answer', 'read']

/** How a walk ends: the attempt is due for its next step at once, or at another time. */
type Left = 'due' | 'asleep'

export class AttemptWalker {
  readonly #processId: string
  readonly #alone: boolean
  readonly #walked = new Set<string>()
  readonly #walks = new Set<Promise<void>>()
  #claiming: Promise<void> = Promise.resolve()
  readonly #stop = new AbortController()
  #closed = false
  #begun = false
  #app: App | null = null

  /** `alone`: no other process can be on the database, so whoever held an attempt before is gone. */
  constructor({ processId, alone }: { processId: string; alone: boolean }) {
    this.#processId = processId
    this.#alone = alone
  }

  /** Begins to walk all that are due and free; does not wait for them. */
  walkDue(app: App): Promise<void> {
    // Two claims at once would both get the same attempt, because a process may claim again what it holds.
    const claimed = this.#claiming.then(() => this.#claimAll(app))
    this.#claiming = claimed.catch(() => {})
    return claimed
  }

  async #claimAll(app: App): Promise<void> {
    this.#app = app
    if (!this.#begun && this.#alone) await due.endLeases(app.storage.db, null)
    this.#begun = true
    while (!this.#closed && this.#walked.size < walksMaxWithEnding) {
      const now = app.clock.now()
      const row = await due.claimDue(app.storage.db, {
        now,
        until: new Date(now.getTime() + leaseMs),
        processId: this.#processId,
        except: [...this.#walked],
        onlyEnding: this.#walked.size >= walksMax,
      })
      if (!row) return
      this.#begin(app, row)
    }
  }

  #begin(app: App, row: AttemptRow): void {
    this.#walked.add(row.id)
    const walk = this.#walk(app, row).then(async (left) => {
      this.#walked.delete(row.id)
      if (left === 'due') await this.walkDue(app)
    })
    const ended = walk
      .catch((err: unknown) => app.log.warn({ err }, 'no attempt could be claimed for now'))
      .finally(() => this.#walks.delete(ended))
    this.#walks.add(ended)
  }

  /** Resolves when every step under way has ended; other processes may then go on at once. */
  async close(): Promise<void> {
    this.#closed = true
    this.#stop.abort()
    await this.#claiming
    await Promise.all(this.#walks)
    if (this.#app) await due.endLeases(this.#app.storage.db, this.#processId)
  }

  async #walk(app: App, claimed: AttemptRow): Promise<Left> {
    const { id } = claimed
    let lost = false
    const renew = (): void => {
      const until = new Date(app.clock.now().getTime() + leaseMs)
      due.renewLease(app.storage.db, { id, until, processId: this.#processId }).then(
        (held) => (lost ||= !held),
        () => {},
      )
    }
    const timer = setInterval(renew, renewMs)
    try {
      let attempt: AttemptRow | null = claimed
      while (!lost && !this.#closed) {
        if (attempt?.result !== 'running') return 'asleep'
        const next = await this.#takeStep(app, attempt)
        if (next !== 'goes on') return next
        attempt = await store.readAttempt(app.storage.db, id)
      }
    } catch (error) {
      // The lease runs out, and then the attempt is walked again.
      if (!this.#closed) app.log.warn({ err: error, attempt_id: id }, 'an attempt was left for now')
    } finally {
      clearInterval(timer)
    }
    return 'asleep'
  }

  async #takeStep(app: App, attempt: AttemptRow): Promise<Left | 'goes on'> {
    const now = app.clock.now()
    let name: FailingName = 'gather-facts'
    let known = attempt
    try {
      let step = stepBeforeFacts(attempt, now)
      if (!step) {
        const facts = onlyGathered(await gatherFacts(app, attempt))
        known = onceGathered(attempt)
        step = nextStep(known, facts, now)
      }
      name = 'do' in step ? step.do : 'write-attempt'
      if ('do' in step) return await this.#act(app, known, step.do)
      if ('wait' in step) return await this.#sleep(app, { attempt, now, step })
      if ('gaveUp' in step) {
        const left = { attempt_id: attempt.id, effect: step.gaveUp }
        app.log.error(left, 'an attempt ends although this did not succeed for six hours')
      }
      if ('failed' in step) {
        const { code, message, detail } = step.failed
        const failed = { attempt_id: attempt.id, code, detail: detail ?? message }
        app.log.warn(failed, 'the training of an attempt failed')
      }
      return goesOn(await this.#write(app, known, writtenOf(step, known, now)))
    } catch (error) {
      if (this.#closed) return 'asleep'
      const failed = { err: error, attempt_id: attempt.id, effect: name }
      app.log.warn(failed, 'a step of an attempt failed')
      await this.#pause(app, known, name)
      return 'asleep'
    }
  }

  async #act(app: App, attempt: AttemptRow, name: EffectName): Promise<Left | 'goes on'> {
    const done = (await effect(name, () => effects[name](app, attempt, this.#stop.signal))) ?? {}
    const state = withoutFailing(done.changes?.state ?? attempt.state)
    const isPortion = portions.includes(name)
    const leaves = isPortion && { wake_at: app.clock.now(), leased_until: null }
    const changes = { ...done.changes, ...leaves, state }
    const isWritten = await this.#write(app, attempt, { ...done, changes })
    return isPortion ? 'due' : goesOn(isWritten)
  }

  async #sleep(
    app: App,
    { attempt, now, step }: { attempt: AttemptRow; now: Date; step: Extract<Step, { wait: Date }> },
  ): Promise<Left | 'goes on'> {
    const { failing } = attempt.state
    // Facts were gathered and nothing is left to write, so neither fails any longer.
    if (failing && !isEffectName(failing.effect)) {
      const state = withoutFailing(attempt.state)
      return goesOn(await this.#write(app, attempt, { changes: { state } }))
    }
    const leasedUntil = step.here ? new Date(now.getTime() + leaseMs) : null
    const sleep = { until: step.wait, leasedUntil, processId: this.#processId }
    await due.sleepUntil(app.storage.db, attempt, sleep)
    return 'asleep'
  }

  async #pause(app: App, attempt: AttemptRow, name: FailingName): Promise<void> {
    const now = app.clock.now()
    const failing = nextFailing(attempt.state.failing, name, now)
    const wake_at = nextTry(failing, now)
    await this.#write(app, attempt, { changes: { state: { ...attempt.state, failing }, wake_at } })
  }

  /** False where another has moved it meanwhile. */
  #write(app: App, attempt: AttemptRow, { changes, together, why }: Written): Promise<boolean> {
    const move = why === undefined ? null : { why, at: app.clock.now() }
    const write = async (tx: Transaction<Database>): Promise<boolean> => {
      // The pipeline is locked before its attempt, as it is when it is deleted.
      await together?.(tx)
      if (await store.changeAttempt(tx, attempt, changes, move)) return true
      throw new Moved()
    }
    return effect('write-attempt', () =>
      app.storage.db
        .transaction()
        .execute(write)
        .catch((error: unknown) => {
          if (error instanceof Moved) return false
          throw error
        }),
    )
  }
}

/** A failure to gather facts is over. */
function onceGathered(attempt: AttemptRow): AttemptRow {
  const isOver = attempt.state.failing?.effect === 'gather-facts'
  return isOver ? { ...attempt, state: withoutFailing(attempt.state) } : attempt
}

/** Where another process has moved it, that one goes on. */
function goesOn(isWritten: boolean): Left | 'goes on' {
  return isWritten ? 'goes on' : 'asleep'
}
