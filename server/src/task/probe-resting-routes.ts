// Looks after routes that rest because they failed.
import { probeRoutes } from '../inference/probe-routes.ts'
import type { Reconciler } from './driver.ts'

const everyMs = 1_000

export const probeRestingRoutes: Reconciler = {
  name: 'probe-resting-routes',
  everyMs,
  // A little more than until the next look, so that no rest ends between two of them.
  run: (app) => probeRoutes(app, everyMs * 1.2),
}
