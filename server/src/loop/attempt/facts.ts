// Gathers what the next step of an attempt depends on, and no more than that.
import { access } from 'node:fs/promises'
import type { App } from '../../app.ts'
import { findFirstOfAttempt } from '../../deployment/deployment-store.ts'
import { hasRoom } from '../../deployment/room.ts'
import { findServing } from '../../deployment/serve-for-test.ts'
import { readReservation } from '../../wallet/reserve.ts'
import { findPipeline } from '../pipeline/pipeline-store.ts'
import { findScoringKey } from '../test/judge/scoring-key.ts'
import { listMissingAnswers, listMissingReadings } from '../test/test-store.ts'
import { countAhead, findCurve } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import { testFundsOf, trainingFundsOf } from './reservations.ts'
import { readUnaffordable } from './start-facts.ts'
import { type FactName, type Facts, factsNeeded } from './step.ts'
import { listRowsFiles, rowsFileOf } from './training-of.ts'

type Readers = { [Name in FactName]: (app: App, attempt: AttemptRow) => Promise<Facts[Name]> }

const readers: Readers = {
  training: (app, { id }) => app.learning.compute.status(id),
  ahead: (app, attempt) => countAhead(app.storage.db, attempt),
  trainingFunds: (app, attempt) => readReservation(app, trainingFundsOf(attempt)),
  testFunds: (app, attempt) => readReservation(app, testFundsOf(attempt)),
  // One that ends removes also what it has not finished.
  rowsThere: async (app, attempt) =>
    attempt.state.closing
      ? (await listRowsFiles(app, attempt)).length > 0
      : isThere(rowsFileOf(app, attempt)),
  curveKept: async ({ storage }, { id }) => (await findCurve(storage.db, id)) !== null,
  async unaffordable(app, attempt) {
    const pipeline = await findPipelineOf(app, attempt)
    return pipeline && readUnaffordable(app, pipeline)
  },
  serving: ({ storage }, { id }) => findServing(storage.db, id),
  async pricedSince({ storage, catalog }, { id, machine }) {
    const price = catalog.machine(machine)?.serving_usd_per_hour ?? 0n
    return price > 0n ? findFirstOfAttempt(storage.db, id) : null
  },
  belowLimit: (app, { workspace_id }) => hasRoom(app, app.storage.db, workspace_id),
  canScore: async ({ storage }, { pipeline_id: pipelineId }) =>
    (await findScoringKey(storage.db, pipelineId))?.usable ?? false,
  unanswered: async ({ storage }, { id }) =>
    (await listMissingAnswers(storage.db, id, 1)).length > 0,
  unread: async ({ storage }, { id }) => (await listMissingReadings(storage.db, id, 1)).length > 0,
  async promotion(app, attempt) {
    const pipeline = await findPipelineOf(app, attempt)
    // Without its pipeline the attempt is being stopped.
    return { policy: pipeline?.promotion_policy ?? 'manual', k: pipeline?.promotion_k ?? null }
  },
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

function findPipelineOf({ storage }: App, { workspace_id, pipeline_id }: AttemptRow) {
  return findPipeline(storage.db, workspace_id, pipeline_id)
}

export async function gatherFacts(app: App, attempt: AttemptRow): Promise<Partial<Facts>> {
  const { loopOn } = app.config
  const found: Partial<Facts> = { loopOn }
  const gather = async <Name extends FactName>(name: Name): Promise<void> => {
    found[name] = await readers[name](app, attempt)
  }
  const needed = (): FactName[] =>
    factsNeeded(attempt, { loopOn, hasTrained: found.training?.state === 'ended' })
  if (needed().includes('training')) await gather('training')
  for (const name of needed()) if (!(name in found)) await gather(name)
  return found
}
