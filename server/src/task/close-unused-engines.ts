// Closes the engines that a change of the catalog left without a route: a model's weights, or connections to a server.
import type { Reconciler } from './driver.ts'

export const closeUnusedEngines: Reconciler = {
  name: 'close-unused-engines',
  everyMs: 10_000,
  run: ({ engines, catalog }) =>
    engines.keepOnly([...catalog.models].flatMap((model) => model.routes)),
}
