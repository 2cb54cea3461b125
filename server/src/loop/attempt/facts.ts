// Gathers what the next step of an attempt depends on.
import { access } from 'node:fs/promises'
import type { App } from '../../app.ts'
import { listTestDeployments } from '../../deployment/serve-for-test.ts'
import { readReservation } from '../../wallet/reserve.ts'
import { countAhead, findCurve } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import type { Facts } from './next-step.ts'
import type { TestFacts } from './test-step.ts'
import { listMissingAnswers, listMissingReadings } from '../test/test-store.ts'
import { readScoringCap } from '../test/judge/read-scoring-cap.ts'
import { findScoringKey } from '../test/judge/scoring-key.ts'
import { findPipeline } from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { unaffordableTest } from '../test/test-money.ts'
import { testFundsOf } from './test-of.ts'
import { fundsOf, rowsFileOf } from './training-of.ts'

export async function gatherFacts(app: App, attempt: AttemptRow): Promise<Facts> {
  const { state, adapter } = attempt
  const hasTrained = adapter !== null || state.closing !== undefined
  return {
    loopOn: app.config.loopOn,
    training: await app.learning.compute.status(attempt.id),
    ahead: await countAhead(app.storage.db, attempt),
    reservation: await readReservation(app, fundsOf(attempt)),
    curveKept: hasTrained && (await findCurve(app.storage.db, attempt.id)) !== null,
    rowsThere: await access(rowsFileOf(app, attempt)).then(
      () => true,
      () => false,
    ),
    test: await gatherTestFacts(app, attempt),
  }
}

async function gatherTestFacts(app: App, attempt: AttemptRow): Promise<TestFacts> {
  const { db } = app.storage
  const { id, state, pipeline_id: pipelineId } = attempt
  const reservation = await readReservation(app, testFundsOf(attempt))
  const serving = await listTestDeployments(db, id)
  const key = await findScoringKey(db, pipelineId)
  const pipeline = await findPipeline(db, attempt.workspace_id, pipelineId)
  return {
    reservation,
    serving: servingOf(serving),
    canScore: key?.usable ?? false,
    unanswered: state.phase === 'answering' && (await listMissingAnswers(db, id, 1)).length > 0,
    unread: state.phase === 'scoring' && (await listMissingReadings(db, id, 1)).length > 0,
    unaffordable: pipeline && (await whyUnaffordable(app, attempt, pipeline)),
    // Without its pipeline the attempt is being stopped.
    promotion: {
      policy: pipeline?.promotion_policy ?? 'manual',
      k: pipeline?.promotion_k ?? null,
    },
  }
}

/** Asked once, before anything is reserved. */
async function whyUnaffordable(
  app: App,
  { state, train_rows }: AttemptRow,
  pipeline: PipelineRow,
): Promise<string | null> {
  if (state.phase !== 'preparing' || state.funds || train_rows === null) return null
  const cap = await readScoringCap(app, pipeline.id, app.clock.now())
  return unaffordableTest(app, pipeline, cap)
}

function servingOf(deployments: readonly { status: string }[]): TestFacts['serving'] {
  if (deployments.length === 0) return 'none'
  return deployments.every(({ status }) => status === 'serving') ? 'serving' : 'starting'
}
