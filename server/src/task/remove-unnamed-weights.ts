// Removes the models and adapters that no pipeline, attempt, version and deployment names any more. The store spares what was kept within the last
// hour, whose name may still be on its way into the database. Removes also the rows of attempts that do not run any more.
import { listNamedWeights } from '../deployment/deployment-store.ts'
import { removeLeftRows } from '../loop/attempt/effects/training.ts'
import { listNamedByAttempts } from '../loop/attempt/attempt-store.ts'
import { listPinnedRevisions } from '../loop/pipeline/pipeline-store.ts'
import { listNamedByVersions } from '../loop/version/version-store.ts'
import type { Reconciler } from './driver.ts'

const hourMs = 3_600_000

export const removeUnnamedWeights: Reconciler = {
  name: 'remove-unnamed-weights',
  everyMs: hourMs,
  async run(app) {
    const { storage, learning } = app
    const { modelStore } = learning
    const pinned = await listPinnedRevisions(storage.db)
    const attempts = await listNamedByAttempts(storage.db)
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
  },
}

function present(hashes: readonly (string | null)[]): string[] {
  return hashes.filter((hash) => hash !== null)
}
