// Closes the engines that a change of the catalog or of deployments left without a route: a model's weights, or connections to a
// server.
import type { Reconciler } from './driver.ts'

export const closeUnusedEngines: Reconciler = {
  name: 'close-unused-engines',
  everyMs: 10_000,
  run: ({ engines, catalog, models }) =>
    engines.keepOnly([
      ...[...catalog.models].flatMap((model) => model.routes),
      ...models.routesInUse(),
    ]),
}
