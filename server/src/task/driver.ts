// Runs reconcilers: each looks at what is, compares it with what should be, does one thing and ends. One that fails is
// tried again next time; two runs of the same one never overlap in this process.
import type { App } from '../app.ts'
import type { Channel } from '../storage/changes.ts'

export type Reconciler = {
  name: string
  everyMs: number
  /** Also run at once when this is heard. */
  wakeOn?: Channel
  run(app: App): Promise<void>
}

export class TaskDriver {
  readonly #app: App
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #running = new Map<string, Promise<void>>()
  /** Those to run once more, because they were woken while they ran. */
  readonly #woken = new Set<string>()
  #closed = false

  constructor(app: App, reconcilers: readonly Reconciler[]) {
    this.#app = app
    for (const reconciler of reconcilers) {
      this.#schedule(reconciler)
      if (reconciler.wakeOn) app.storage.changes.on(reconciler.wakeOn, () => this.#wake(reconciler))
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all(this.#running.values())
  }

  #schedule(reconciler: Reconciler): void {
    if (this.#closed) return
    // Spread a little, so that many processes do not all come at the same moment.
    const waitMs = reconciler.everyMs * (0.9 + Math.random() * 0.2)
    const timer = setTimeout(() => this.#begin(reconciler), waitMs)
    this.#timers.set(reconciler.name, timer.unref())
  }

  #begin(reconciler: Reconciler): void {
    const run = this.#run(reconciler).then(() => {
      this.#running.delete(reconciler.name)
      if (this.#woken.delete(reconciler.name)) this.#wake(reconciler)
      else this.#schedule(reconciler)
    })
    this.#running.set(reconciler.name, run)
  }

  #wake(reconciler: Reconciler): void {
    if (this.#closed) return
    if (this.#running.has(reconciler.name)) return void this.#woken.add(reconciler.name)
    clearTimeout(this.#timers.get(reconciler.name))
    this.#begin(reconciler)
  }

  async #run(reconciler: Reconciler): Promise<void> {
    try {
      await reconciler.run(this.#app)
    } catch (error) {
      this.#app.log.warn({ task: reconciler.name, err: error }, 'a background task failed')
    }
  }
}
