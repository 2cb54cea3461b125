// Everything that is looked after while Hone runs.
import { billStorage } from './bill-storage.ts'
import { closeUnusedEngines } from './close-unused-engines.ts'
import type { Engines } from '../engine/engines.ts'
import type { AttemptStarter } from '../loop/attempt/attempt-starter.ts'
import type { SampleIndexer } from '../samples/search/sample-indexer.ts'
import type { Reconciler } from './driver.ts'
import { eraseObjects } from './erase-objects.ts'
import { expireSamples } from './expire-samples.ts'
import { foldUsage } from './fold-usage.ts'
import { forgetExpired } from './forget-expired.ts'
import { forgetTestWords } from './forget-test-words.ts'
import { indexSamples } from './index-samples.ts'
import { loadModelsAhead } from './load-models-ahead.ts'
import { probeRestingRoutes } from './probe-resting-routes.ts'
import { releaseLeftFunds } from './release-left-funds.ts'
import { removeUnnamedWeights } from './remove-unnamed-weights.ts'
import { startDueAttempts } from './start-due-attempts.ts'
import { takeBackExpiredLeases } from './take-back-leases.ts'
import type { Walker } from '../storage/row-walker.ts'
import { walkAttempts } from './walk-attempts.ts'
import { stopReplacedDeployments, walkDeployments } from './walk-deployments.ts'

/** What works in the background alone. */
export type Background = {
  engines: Engines
  indexer: SampleIndexer
  walker: Walker
  starter: AttemptStarter
  deployments: Walker
}

export function allTasks({
  engines,
  indexer,
  walker,
  starter,
  deployments,
}: Background): Reconciler[] {
  return [
    takeBackExpiredLeases,
    forgetExpired,
    probeRestingRoutes,
    expireSamples,
    forgetTestWords,
    eraseObjects,
    billStorage,
    foldUsage,
    indexSamples(indexer),
    closeUnusedEngines(engines),
    loadModelsAhead(),
    releaseLeftFunds,
    removeUnnamedWeights,
    startDueAttempts(starter),
    walkAttempts(walker),
    walkDeployments(deployments),
    stopReplacedDeployments,
  ]
}
