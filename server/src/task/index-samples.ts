// Keeps the search index in step with the samples. Long work happens in a thread, which lives only while there is some.
import { BlockBuilder } from '../loop/search/block-builder.ts'
import { indexDefaults, indexWorkspace } from '../loop/search/index-workspace.ts'
import { findWorkspacesToIndex } from '../loop/search/segment-store.ts'
import type { Reconciler } from './driver.ts'

export const indexSamples: Reconciler = {
  name: 'index-samples',
  everyMs: 2_000,
  async run(app) {
    const builder = new BlockBuilder()
    try {
      let worked = true
      while (worked && !app.closing) {
        worked = false
        // In turns, so that a large import does not keep the others waiting.
        for (const workspaceId of await findWorkspacesToIndex(app.storage.db, indexDefaults)) {
          if (app.closing) return
          const ports = { storage: app.storage, builder }
          if (await indexWorkspace(ports, workspaceId, indexDefaults)) worked = true
        }
      }
    } finally {
      await builder.close()
    }
  },
}
