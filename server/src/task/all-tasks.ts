// Everything that is looked after while Hone runs.
import { billStorage } from './bill-storage.ts'
import { closeUnusedEngines } from './close-unused-engines.ts'
import type { Reconciler } from './driver.ts'
import { eraseObjects } from './erase-objects.ts'
import { expireSamples } from './expire-samples.ts'
import { foldUsage } from './fold-usage.ts'
import { forgetExpired } from './forget-expired.ts'
import { indexSamples } from './index-samples.ts'
import { probeRestingRoutes } from './probe-resting-routes.ts'
import { removeUnnamedWeights } from './remove-unnamed-weights.ts'
import { startDueAttempts } from './start-due-attempts.ts'
import { takeBackExpiredLeases } from './take-back-leases.ts'
import { walkAttempts } from './walk-attempts.ts'

export const allTasks: readonly Reconciler[] = [
  takeBackExpiredLeases,
  forgetExpired,
  probeRestingRoutes,
  expireSamples,
  eraseObjects,
  billStorage,
  foldUsage,
  indexSamples,
  closeUnusedEngines,
  removeUnnamedWeights,
  startDueAttempts,
  walkAttempts,
]
