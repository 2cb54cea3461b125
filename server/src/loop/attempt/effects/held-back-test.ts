// Tests what was trained against the live model, and opens it for callers where it is better.
import type { Caller } from '../../../account/caller.ts'
import type { App } from '../../../app.ts'
import {
  endTestDeployments,
  serveForTest,
  testDeploymentName,
  type TestDeployment,
} from '../../../deployment/serve-for-test.ts'
import { newId } from '../../../lib/id.ts'
import { findPipeline } from '../../pipeline/pipeline-store.ts'
import { namedModel } from '../../pipeline/pipeline.ts'
import { listLearnedSince } from '../../selection/question-store.ts'
import { askAnswers } from '../../test/ask-answers.ts'
import type { PortionTry, Waits } from '../../test/ask-portion.ts'
import { askReadings } from '../../test/ask-readings.ts'
import { isAwayAwaited } from '../../test/away-wait.ts'
import { decideTest } from '../../test/decide-test.ts'
import { scoringCaller } from '../../test/judge/scoring-key.ts'
import { fixTest } from '../../test/plan-test.ts'
import { isStorageAwaited, stillUnreadable } from '../../test/storage-wait.ts'
import { fixTested, writeOutcomes } from '../../test/test-store.ts'
import type { TestPlan } from '../../test/tested-attempt.ts'
import { findLiveVersion, findVersion } from '../../version/version-store.ts'
import { afterPortion } from '../after-portion.ts'
import type { AttemptRow, AttemptState } from '../attempt.ts'
import { readTestMoney } from '../start-facts.ts'
import type { Done } from './effect.ts'

/** Fixes what is asked, what the new model is compared with, who judges, and what that can cost at most. */
export async function planTest(app: App, attempt: AttemptRow): Promise<Done | void> {
  const { id, state, model, workspace_id: workspaceId, pipeline_id: pipelineId } = attempt
  if (state.phase !== 'starting_machine' && state.phase !== 'waiting_for_storage') return
  const pipeline = await findPipeline(app.storage.db, workspaceId, pipelineId)
  // The deletion of the pipeline stops the attempt.
  if (!pipeline) return
  const judge = app.catalog.find(pipeline.judge_model)
  if (!judge) throw new Error(`the judge ${pipeline.judge_model} is not in the catalog any more`)
  const now = app.clock.now()
  const live = await findLiveVersion(app.storage.db, pipelineId)
  const version = live?.version_no ?? null
  const { amount: money, limit } = await readTestMoney(app, pipelineId)
  const fixed = await fixTest(app, attempt, {
    model,
    judge,
    rubric: pipeline.use_case,
    live: { version, model: live?.model ?? namedModel(pipeline) },
    money,
    waits: isStorageAwaited(state.unreadable, now),
    learned: await listLearnedSince(app.storage.db, attempt),
  })
  if ('unreadable' in fixed) {
    const unreadable = stillUnreadable(state.unreadable, fixed.unreadable, now)
    return { changes: { state: { ...state, unreadable } } }
  }
  const { asked, leftOut, missing, most } = fixed
  const test: TestPlan = {
    candidate: testDeploymentName('candidate', id),
    live: testDeploymentName('live', id),
    compared_with: version,
    judge: judge.id,
    rubric: pipeline.use_case,
    asked,
    missing: missing.length,
    left_out: leftOut,
    limited_by: limit,
    most: most.toString(),
  }
  return { changes: { test }, together: (tx) => fixTested(tx, id, fixed) }
}

/**
 * Has the new model served for its test alone, and beside it the live one: the live version, or before there is one the base that the
 * attempt is pinned to. So neither a switch of the live name nor a change of the catalog's base changes a test.
 */
export async function serveTest(app: App, attempt: AttemptRow): Promise<void> {
  const { db } = app.storage
  const at = app.clock.now()
  const { model, model_revision: baseRevision, adapter } = attempt
  const common = {
    at,
    workspaceId: attempt.workspace_id,
    pipelineId: attempt.pipeline_id,
    attemptId: attempt.id,
    machine: attempt.machine,
  }
  const live = await liveWeights(app, attempt)
  const candidate = { model, baseRevision, adapter, merged: null }
  await db.transaction().execute(async (tx) => {
    await serveForTest(tx, { ...common, id: newId(at), side: 'live', ...live })
    await serveForTest(tx, { ...common, id: newId(at), side: 'candidate', ...candidate })
  })
}

type Weights = Pick<TestDeployment, 'model' | 'baseRevision' | 'adapter' | 'merged'>

async function liveWeights(app: App, attempt: AttemptRow): Promise<Weights> {
  const { pipeline_id: pipelineId, model, model_revision: baseRevision } = attempt
  const versionNo = attempt.test?.compared_with ?? null
  if (versionNo === null) return { model, baseRevision, adapter: null, merged: null }
  const version = await findVersion(app.storage.db, pipelineId, versionNo)
  if (!version) throw new Error(`version ${versionNo} of ${pipelineId} does not exist`)
  const { adapter, merged } = version
  return { model: version.model, baseRevision: version.model_revision, adapter, merged }
}

/** Both models answer a portion of the held-back samples. */
export function answer(app: App, attempt: AttemptRow, signal: AbortSignal): Promise<Done | void> {
  return askPortionOf(app, attempt, signal, askAnswers)
}

/** The judge reads a portion of the answers. */
export function read(app: App, attempt: AttemptRow, signal: AbortSignal): Promise<Done | void> {
  return askPortionOf(app, attempt, signal, askReadings)
}

type Ask = (
  app: App,
  attempt: AttemptRow & { test: TestPlan },
  by: { caller: Caller; signal: AbortSignal; waits: Waits },
) => Promise<PortionTry>

async function askPortionOf(
  app: App,
  attempt: AttemptRow,
  signal: AbortSignal,
  ask: Ask,
): Promise<Done | void> {
  const caller = await scoringCaller(app, attempt.pipeline_id)
  if (!caller) return
  const waits = waitsOf(attempt.state, app.clock.now())
  const tried = await ask(app, withPlan(attempt), { caller, signal, waits })
  return { changes: { state: afterPortion(attempt.state, tried, app.clock.now()) } }
}

function waitsOf(state: AttemptState, now: Date): Waits {
  return {
    storage: isStorageAwaited('unreadable' in state ? state.unreadable : undefined, now),
    servers: isAwayAwaited('away' in state ? state.away : undefined, now),
  }
}

function withPlan(attempt: AttemptRow): AttemptRow & { test: TestPlan } {
  const { test } = attempt
  if (test === null) throw new Error(`the test of ${attempt.id} has no plan`)
  return { ...attempt, test }
}

/** The verdict, and what each sample came to. */
export async function decide(app: App, attempt: AttemptRow): Promise<Done> {
  const { workspace_id: workspaceId, pipeline_id: pipelineId } = attempt
  const pipeline = await findPipeline(app.storage.db, workspaceId, pipelineId)
  const promotion = pipeline && {
    evidence: pipeline.promotion_evidence,
    policy: { policy: pipeline.promotion_policy, k: pipeline.promotion_k },
  }
  const { outcomes, ...changes } = await decideTest(app, withPlan(attempt), promotion ?? {})
  return { changes, together: (tx) => writeOutcomes(tx, attempt.id, outcomes) }
}

/** Has the new model say a word, so that its engine is open when the name that never changes moves to it. */
export async function makeReady(app: App, attempt: AttemptRow, signal: AbortSignal): Promise<Done> {
  const { model, model_revision: base_revision, adapter, machine } = attempt
  const target = { model, base_revision, adapter, merged: null, machine }
  const answer = await app.serving.machines.prepare(target, signal)
  if (answer.state !== 'ready') {
    const why = answer.state === 'failed' ? answer.sentence : `its machine is ${answer.state}`
    throw new Error(`the new model does not answer: ${why}`)
  }
  return { changes: { state: { phase: 'promoting', model: 'open' } } }
}

/** Ends the deployments that were there for the test alone. */
export async function endServing(app: App, { id }: AttemptRow): Promise<void> {
  await endTestDeployments(app.storage.db, id)
}
