// Trains at compute, keeps what came of it, and leaves nothing behind.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../../app.ts'
import { isId } from '../../../lib/id.ts'
import { keepCurve, listRunning } from '../attempt-store.ts'
import type { AttemptRow } from '../attempt.ts'
import { listRowsFiles, rowsFileOf, rowsFolderOf } from '../training-of.ts'
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
  for (const file of await listRowsFiles(app, attempt)) await rm(file, { force: true })
}

/** Those of attempts that do not run, which were killed while they selected. */
export async function removeLeftRows(app: App): Promise<void> {
  const folder = rowsFolderOf(app)
  const names = await readdir(folder).catch(() => [])
  // An attempt that starts after the folder was read has no file among these.
  const running = new Set(await listRunning(app.storage.db))
  for (const name of names) {
    const [id = ''] = name.split('.jsonl')
    if (id === name || !isId(id) || running.has(id)) continue
    await rm(join(folder, name), { force: true })
  }
}
