// Trains at compute, keeps what came of it, and leaves nothing behind.
import { rm } from 'node:fs/promises'
import type { App } from '../../../app.ts'
import { keepCurve } from '../attempt-store.ts'
import type { AttemptRow } from '../attempt.ts'
import { rowsFileOf } from '../training-of.ts'
import type { Done } from './effect.ts'

/** A second call with the same id attaches to the training that is there. */
export async function startTraining(app: App, attempt: AttemptRow): Promise<void> {
  const { id, model, model_revision: revision, stops_early: stopsEarly } = attempt
  const { custom: _custom, ...settings } = attempt.settings
  await app.learning.compute.train({
    id,
    base: { path: app.learning.modelStore.modelPath(revision), revision },
    baseName: model,
    rowsFile: rowsFileOf(app, attempt),
    settings,
    stopsEarly,
    seed: attempt.attempt_no,
  })
}

/** Within seconds, unless it has ended by itself. */
export async function stopTraining(app: App, { id }: AttemptRow): Promise<void> {
  await app.learning.compute.stop(id)
}

/** Under its content hash. The store spares what nothing names yet for an hour. */
export async function keepAdapter(app: App, { id }: AttemptRow): Promise<Done | void> {
  const status = await app.learning.compute.status(id)
  if (status.state !== 'ended' || status.outcome.state !== 'succeeded') return
  const { adapterPath } = status.outcome
  return { changes: { adapter: await app.learning.modelStore.keepAdapter(adapterPath) } }
}

/** The loss over its steps, before compute forgets it. */
export async function keepTrainingCurve(app: App, { id }: AttemptRow): Promise<void> {
  const status = await app.learning.compute.status(id)
  if (status.state === 'unknown') return
  await keepCurve(app.storage.db, id, status.progress.curve)
}

export async function forgetTraining(app: App, { id }: AttemptRow): Promise<void> {
  await app.learning.compute.forget(id)
}

/** Those that no training took. */
export async function removeRows(app: App, attempt: AttemptRow): Promise<void> {
  await rm(rowsFileOf(app, attempt), { force: true })
}
