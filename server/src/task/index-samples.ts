// Keeps the search index in step with the samples. This only looks whether there is something to do; a thread does it.
import { indexDefaults } from '../samples/search/index-workspace.ts'
import { findWorkspacesToIndex } from '../samples/search/segment-store.ts'
import type { SampleIndexer } from '../samples/search/sample-indexer.ts'
import type { Reconciler } from './driver.ts'

export const indexSamples = (indexer: SampleIndexer): Reconciler => ({
  name: 'index-samples',
  everyMs: 2_000,
  async run(app) {
    const waiting = await findWorkspacesToIndex(app.storage, indexDefaults)
    if (waiting.length > 0 && !app.operations.closing) await indexer.run()
  },
})
