// Opens the weights of what serves before its first call, in every process for itself: also what another process put live, and after a
// restart. What does not fit into memory is opened by its calls.
import type { App } from '../app.ts'
import { listServedOn } from '../deployment/deployment-store.ts'
import type { Reconciler } from './driver.ts'

/** Of the newest. */
const modelsMost = 16
const loadMsMost = 60_000

export function loadModelsAhead(): Reconciler {
  /** Once each, so that what gave way to others does not come back without a call. */
  let loaded = new Set<string>()
  return {
    name: 'load-models-ahead',
    everyMs: 30_000,
    wakeOn: 'deployments_changed',
    async run(app: App) {
      const embedded = app.catalog.machines.filter(({ engine }) => engine === 'embedded')
      const names = embedded.map(({ name }) => name)
      const targets = await listServedOn(app.storage.db, names, modelsMost)
      const keys = targets.map((target) => JSON.stringify(target))
      for (const [index, target] of targets.entries()) {
        const key = keys[index] ?? ''
        if (loaded.has(key) || app.operations.closing) continue
        loaded.add(key)
        await app.serving.machines.prepare(target, AbortSignal.timeout(loadMsMost))
      }
      loaded = new Set(keys.filter((key) => loaded.has(key)))
    },
  }
}
