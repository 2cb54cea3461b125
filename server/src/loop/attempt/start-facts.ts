// Looks up what may stand in the way of starting an attempt.
import type { App } from '../../app.ts'
import { recordNotFound } from '../../core/record-refusals.ts'
import { Refusal } from '../../core/refusal.ts'
import { whatNeedsSave } from '../pipeline/needs-save.ts'
import { isComplete } from '../pipeline/pipeline-state.ts'
import { lockPipeline, type Reader } from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { trainingMachine, trainingMachines } from '../pipeline/trainable-models.ts'
import { findScoringKey, renewScoringKey } from '../test/judge/scoring-key.ts'
import { type TestMoney, testMoney, unaffordableTest } from '../test/test-money.ts'
import { readVersions } from '../version/version-store.ts'
import { findRunning } from './attempt-store.ts'
import { costLimit } from './cost-limit.ts'
import { type MonthCosts, readMonthCosts } from './month-costs.ts'
import { limitedUntil } from './monthly-limit.ts'
import type { StartFacts } from './obstacles.ts'
import { readStoppedLive } from './stopped-live.ts'

type Ports = Pick<App, 'catalog' | 'storage' | 'config' | 'clock'>

/** All but the scoring key and the samples. */
export async function readStartFacts(
  app: Ports,
  db: Reader,
  pipeline: PipelineRow,
): Promise<StartFacts> {
  const running = (await findRunning(db, pipeline.id)) !== null
  const { total, live } = await readVersions(db, pipeline.id)
  return {
    ...startFactsOf(app, pipeline, { running, versions: total }),
    ...moneyFactsOf(app, pipeline, await readMonthCosts(app, pipeline.id)),
    stoppedLive: live === null ? null : await readStoppedLive(app, db, pipeline.id),
  }
}

/** What the catalog and the pipeline's row say. */
export function startFactsOf(
  { catalog }: Pick<App, 'catalog'>,
  pipeline: PipelineRow,
  { running, versions }: { running: boolean; versions: number },
): StartFacts {
  return {
    machine: trainingMachine(catalog),
    enabled: pipeline.enabled,
    pausedForFunds: pipeline.paused_for_funds,
    running,
    needsSave: whatNeedsSave(catalog, pipeline),
    complete: isComplete(pipeline.max_versions, versions),
    limitedUntil: null,
    cappedUntil: null,
    scoringKey: null,
    stoppedLive: null,
    samples: null,
    unaffordable: null,
  }
}

/** What an attempt, and its scoring, may still cost this month. */
export function moneyFactsOf(
  app: Pick<App, 'catalog'>,
  pipeline: PipelineRow,
  costs: MonthCosts,
): Pick<StartFacts, 'limitedUntil' | 'cappedUntil' | 'unaffordable'> {
  const { cappedUntil } = costs
  const [machine] = trainingMachines(app.catalog)
  const most =
    machine &&
    costLimit({ training: machine.training_usd_per_hour, serving: machine.serving_usd_per_hour })
  return {
    limitedUntil: most === undefined ? null : limitedUntil({ ...costs, most }),
    cappedUntil,
    // A cheaper test would not help where nothing is left.
    unaffordable: cappedUntil === null ? unaffordableTest(app, pipeline, costs) : null,
  }
}

export async function readTestMoney(app: Ports, pipelineId: string): Promise<TestMoney> {
  return testMoney(await readMonthCosts(app, pipelineId))
}

export async function readUnaffordable(app: Ports, pipeline: PipelineRow): Promise<string | null> {
  return unaffordableTest(app, pipeline, await readMonthCosts(app, pipeline.id))
}

/** Makes a missing or revoked scoring key anew; without `keep` it only tries. */
export async function renewKey(
  { storage, clock }: Ports,
  { id, workspace_id }: PipelineRow,
  { keep }: { keep: boolean },
): Promise<NonNullable<StartFacts['scoringKey']>> {
  if ((await findScoringKey(storage.db, id))?.usable) return 'usable'
  let isUsable = false
  try {
    await storage.db.transaction().execute(async (tx) => {
      const pipeline = await lockPipeline(tx, workspace_id, id)
      if (!pipeline) throw recordNotFound('pipeline')
      isUsable = await renewScoringKey(tx, pipeline, clock.now())
      if (!keep) throw new NotKept()
    })
  } catch (error) {
    if (error instanceof Refusal && error.code === 'AGENT_COULD_NOT_START') return 'not_made'
    if (!(error instanceof NotKept)) throw error
  }
  return isUsable ? 'usable' : 'off'
}

/** Takes back what a transaction only tried. */
class NotKept extends Error {}
