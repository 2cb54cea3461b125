// Looks up what may stand in the way of starting an attempt.
import type { App } from '../../app.ts'
import { recordNotFound } from '../../core/record-refusals.ts'
import { Refusal } from '../../core/refusal.ts'
import { whatNeedsSave } from '../pipeline/needs-save.ts'
import { isComplete } from '../pipeline/pipeline-state.ts'
import { lockPipeline, type Reader } from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { trainingMachine } from '../pipeline/trainable-models.ts'
import { readScoringCap } from '../test/judge/read-scoring-cap.ts'
import type { ScoringCap } from '../test/judge/scoring-cap.ts'
import { findScoringKey, renewScoringKey } from '../test/judge/scoring-key.ts'
import { type TestMoney, testMoney, unaffordableTest } from '../test/test-money.ts'
import { readVersions } from '../version/version-store.ts'
import { findRunning } from './attempt-store.ts'
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
  const cap = await readCap(app, pipeline.id)
  return {
    ...startFactsOf(app, pipeline, { running, versions: total }),
    ...moneyFactsOf(app, pipeline, cap),
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
    cappedUntil: null,
    scoringKey: null,
    stoppedLive: null,
    samples: null,
    unaffordable: null,
  }
}

export function readCap(app: Ports, pipelineId: string): Promise<ScoringCap> {
  return readScoringCap(app, pipelineId, app.clock.now())
}

/** What scoring may still cost. */
export function moneyFactsOf(
  app: Pick<App, 'catalog'>,
  pipeline: PipelineRow,
  cap: ScoringCap,
): Pick<StartFacts, 'cappedUntil' | 'unaffordable'> {
  const { cappedUntil } = cap
  // A cheaper test would not help where nothing is left.
  const unaffordable = cappedUntil === null ? unaffordableTest(app, pipeline, cap) : null
  return { cappedUntil, unaffordable }
}

export async function readTestMoney(app: Ports, pipelineId: string): Promise<TestMoney> {
  return testMoney(await readCap(app, pipelineId))
}

export async function readUnaffordable(app: Ports, pipeline: PipelineRow): Promise<string | null> {
  return unaffordableTest(app, pipeline, await readCap(app, pipeline.id))
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
