// Closes the engines that a change of the catalog or of deployments left without a route: a model's weights, or connections to a
// server.
import type { Engines } from '../engine/engines.ts'
import type { Reconciler } from './driver.ts'

export const closeUnusedEngines = (engines: Engines): Reconciler => ({
  name: 'close-unused-engines',
  everyMs: 10_000,
  run: ({ catalog, calls, clock }) =>
    engines.keepOnly([
      ...[...catalog.models].flatMap((model) => model.routes),
      ...calls.models.routesInUse(clock.now()),
    ]),
})
