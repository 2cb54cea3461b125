// Runs reconcilers: each looks at what is, compares it with what should be, does one thing and ends. One that fails is
// tried again next time; two runs of the same one never overlap in this process.
import type { App } from '../app.ts'

export type Reconciler = {
  name: string
  everyMs: number
  run(app: App): Promise<void>
}

export class TaskDriver {
  readonly #app: App
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #running = new Map<string, Promise<void>>()
  #closed = false

  constructor(app: App, reconcilers: readonly Reconciler[]) {
    this.#app = app
    for (const reconciler of reconcilers) this.#schedule(reconciler)
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
    const timer = setTimeout(() => {
      const run = this.#run(reconciler).then(() => {
        this.#running.delete(reconciler.name)
        this.#schedule(reconciler)
      })
      this.#running.set(reconciler.name, run)
    }, waitMs)
    this.#timers.set(reconciler.name, timer.unref())
  }

  async #run(reconciler: Reconciler): Promise<void> {
    try {
      await reconciler.run(this.#app)
    } catch (error) {
      this.#app.log.warn({ task: reconciler.name, err: error }, 'a background task failed')
    }
  }
}
