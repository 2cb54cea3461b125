// Moves deployments on whose time has come, and stops what was replaced some minutes ago.
import { stopReplaced } from '../deployment/stop-replaced.ts'
import type { Walker } from '../storage/row-walker.ts'
import type { Reconciler } from './driver.ts'

export const walkDeployments = (walker: Walker): Reconciler => ({
  name: 'walk-deployments',
  everyMs: 1000,
  wakeOn: 'deployment_due',
  run: (app) => walker.walkDue(app),
})

export const stopReplacedDeployments: Reconciler = {
  name: 'stop-replaced-deployments',
  everyMs: 10_000,
  run: stopReplaced,
}
