// Removes the models and adapters that no pipeline, attempt, version and deployment names any more. The store spares what was kept within the last
// hour, whose name may still be on its way into the database. Removes also the rows of attempts that do not run any more, and what
// killed processes left at compute.
import { listNamedWeights } from '../deployment/deployment-store.ts'
import { removeLeftRows } from '../loop/attempt/effects/training.ts'
import { listNamedByAttempts } from '../loop/attempt/attempt-store.ts'
import { listPinnedRevisions } from '../loop/pipeline/pipeline-store.ts'
import { listNamedByVersions } from '../loop/version/version-store.ts'
import type { Reconciler } from './driver.ts'

const hourMs = 3_600_000
/** Of an attempt that did not become a version and cannot any more. */
const adapterMs = 30 * 24 * hourMs

export const removeUnnamedWeights: Reconciler = {
  name: 'remove-unnamed-weights',
  everyMs: hourMs,
  async run(app) {
    const { storage, clock, learning } = app
    const { modelStore, compute } = learning
    const pinned = await listPinnedRevisions(storage.db)
    const since = new Date(clock.now().getTime() - adapterMs)
    const attempts = await listNamedByAttempts(storage.db, since)
    const deployed = await listNamedWeights(storage.db)
    const versions = await listNamedByVersions(storage.db)
    const models = [
      ...deployed.flatMap(({ base_revision, merged }) => [base_revision, merged]),
      ...versions.flatMap(({ model_revision, merged }) => [model_revision, merged]),
    ]
    const adapters = [...deployed, ...versions].map(({ adapter }) => adapter)
    await modelStore.removeUnnamedModels([...pinned, ...attempts.models, ...present(models)])
    await modelStore.removeUnnamedAdapters([...attempts.adapters, ...present(adapters)])
    await removeLeftRows(app)
    await compute.removeLeft()
  },
}

function present(hashes: readonly (string | null)[]): string[] {
  return hashes.filter((hash) => hash !== null)
}
