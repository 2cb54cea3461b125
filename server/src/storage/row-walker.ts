// Walks rows that are machines: claims those whose time has come, takes one step after another, and leaves them until they are due again.
// While one process holds a row by its lease, no other touches it, and one that dies loses it when the lease runs out.
import type { App } from '../app.ts'
import type { Lease } from './leases.ts'

const leaseMs = 30_000
const renewMs = 10_000

/** How a walk goes on: due for its next step at once although others come first, or asleep until its time. */
export type Left = 'due' | 'asleep'

export type Claim = {
  now: Date
  until: Date
  processId: string
  except: readonly string[]
  /** Nothing but what is being stopped. */
  onlyEnding: boolean
}

/** Of the process that walks: aborted when it is to stop. */
export type By = { processId: string; signal: AbortSignal }

/** The table of the rows, and what is done about one of them. */
export type WalkedRows<Row extends { id: string }> = {
  noun: string
  /** So many at once in this process, and with those that are being stopped. */
  most: number
  mostWithEnding: number
  /** A process may claim again what it holds. */
  claim(app: App, claim: Claim): Promise<Row | null>
  read(app: App, id: string): Promise<Row | null>
  /** False where another process has taken it. */
  renew(app: App, lease: Lease): Promise<boolean>
  /** Of all processes where none is named. */
  release(app: App, processId: string | null): Promise<void>
  step(app: App, row: Row, by: By): Promise<Left | 'goes on'>
}

export type Walker = { walkDue(app: App): Promise<void> }

export function leaseUntil(now: Date): Date {
  return new Date(now.getTime() + leaseMs)
}

export class RowWalker<Row extends { id: string }> implements Walker {
  readonly #rows: WalkedRows<Row>
  readonly #processId: string
  readonly #alone: boolean
  readonly #walked = new Set<string>()
  readonly #walks = new Set<Promise<void>>()
  #claiming: Promise<void> = Promise.resolve()
  readonly #stop = new AbortController()
  #begun = false
  #app: App | null = null

  /** `alone`: no other process can be on the database, so the process that held a row before has ended. */
  constructor(rows: WalkedRows<Row>, { processId, alone }: { processId: string; alone: boolean }) {
    this.#rows = rows
    this.#processId = processId
    this.#alone = alone
  }

  /** Begins to walk all that are due and free; does not wait for them. */
  walkDue(app: App): Promise<void> {
    // Two claims at once would both get the same row, because a process may claim again what it holds.
    const claimed = this.#claiming.then(() => this.#claimAll(app))
    this.#claiming = claimed.catch(() => {})
    return claimed
  }

  /** Resolves when every step under way has ended; other processes may then go on at once. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#claiming
    await Promise.all(this.#walks)
    if (this.#app) await this.#rows.release(this.#app, this.#processId)
  }

  get #closed(): boolean {
    return this.#stop.signal.aborted
  }

  async #claimAll(app: App): Promise<void> {
    const { most, mostWithEnding } = this.#rows
    this.#app = app
    if (!this.#begun && this.#alone) await this.#rows.release(app, null)
    this.#begun = true
    while (!this.#closed && this.#walked.size < mostWithEnding) {
      const now = app.clock.now()
      const row = await this.#rows.claim(app, {
        now,
        until: leaseUntil(now),
        processId: this.#processId,
        except: [...this.#walked],
        onlyEnding: this.#walked.size >= most,
      })
      if (!row) return
      this.#begin(app, row)
    }
  }

  #begin(app: App, row: Row): void {
    this.#walked.add(row.id)
    const walk = this.#walk(app, row).then(async (left) => {
      this.#walked.delete(row.id)
      if (left === 'due') await this.walkDue(app)
    })
    const ended = walk
      .catch((err: unknown) =>
        app.log.warn({ err }, `no ${this.#rows.noun} could be claimed for now`),
      )
      .finally(() => this.#walks.delete(ended))
    this.#walks.add(ended)
  }

  async #walk(app: App, claimed: Row): Promise<Left> {
    const { id } = claimed
    const by = { processId: this.#processId, signal: this.#stop.signal }
    let lost = false
    const renew = (): void => {
      const lease = { id, until: leaseUntil(app.clock.now()), processId: this.#processId }
      this.#rows.renew(app, lease).then(
        (held) => (lost ||= !held),
        () => {},
      )
    }
    const timer = setInterval(renew, renewMs)
    try {
      let row: Row | null = claimed
      while (row && !lost && !this.#closed) {
        const next = await this.#rows.step(app, row, by)
        if (next !== 'goes on') return next
        row = await this.#rows.read(app, id)
      }
    } catch (err) {
      const { noun } = this.#rows
      // The lease runs out, and then it is walked again.
      if (!this.#closed) app.log.warn({ err, id }, `the ${noun} was left for now`)
    } finally {
      clearInterval(timer)
    }
    return 'asleep'
  }
}
