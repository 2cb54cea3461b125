// A member has an inconclusive attempt tested once more, with what it has trained. Answers and readings that are there stay; the walk asks
// for those that are missing, and they are paid for by themselves.
import type { Transaction } from 'kysely'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Picodollars } from '../../lib/money.ts'
import type { Database } from '../../storage/schema.ts'
import { readCharges } from '../../wallet/reserve.ts'
import { lockPipeline } from '../pipeline/pipeline-store.ts'
import { requirePipeline } from '../pipeline/require-pipeline.ts'
import { dropFailedReadings, sumTestCosts } from '../test/test-store.ts'
import type { TestPlan } from '../test/tested-attempt.ts'
import { findLiveVersion } from '../version/version-store.ts'
import { findAttempt, findRunning, reopenAttempt } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import { canRetest } from './can-retest.ts'
import { readMonthCosts } from './month-costs.ts'
import { requireAttempt } from './read-attempts.ts'
import { refusalOf } from './start-attempt.ts'
import { renewKey } from './start-facts.ts'

export async function retestAttempt(app: App, caller: Caller, given: string): Promise<AttemptRow> {
  const { db } = app.storage
  const attempt = await requireAttempt(app, caller, given)
  const { id, pipeline_id: pipelineId } = attempt
  const pipeline = await requirePipeline(app, caller, pipelineId)
  const { scoring: charged } = await readCharges(app, id)
  if (!canRetest(attempt, charged) || !(await isAllThere(app, attempt))) throw cannot()
  if (await findRunning(db, pipelineId)) throw refusalOf({ code: 'RUN_ACTIVE' })
  const { left, cappedUntil } = await readMonthCosts(app, pipelineId)
  if (cappedUntil !== null) throw refusalOf({ code: 'SCORING_CAPPED', until: cappedUntil })
  const key = await renewKey(app, pipeline, { keep: true })
  if (key === 'off') throw refusalOf({ code: 'AGENT_OFF' })
  if (key === 'not_made') throw refusalOf({ code: 'AGENT_COULD_NOT_START' })
  const at = app.clock.now()
  return db.transaction().execute(async (tx) => {
    await lockPipeline(tx, attempt.workspace_id, pipelineId)
    // Another may have begun meanwhile.
    if (await findRunning(tx, pipelineId)) throw refusalOf({ code: 'RUN_ACTIVE' })
    const changes: Partial<AttemptRow> & Pick<AttemptRow, 'state'> = {
      state: { phase: 'starting_machine' },
      detail: null,
      test: attempt.test && (await planAgain(tx, id, attempt.test, { charged, left })),
      verdict: null,
      candidate_pass_rate: null,
      incumbent_pass_rate: null,
      retested_at: at,
    }
    const why = 'A member has it tested again.'
    if (!(await reopenAttempt(tx, attempt, changes, { why, at }))) throw cannot()
    const detail = { rule_id: pipelineId, attempt_no: attempt.attempt_no }
    const event = { action: 'attempt.retested', targetId: id, detail }
    await recordAudit(tx, actorOf(caller), event, at)
    return (await findAttempt(tx, attempt.workspace_id, id)) ?? attempt
  })
}

function cannot(): Refusal {
  return new Refusal(
    'CANNOT_TEST_AGAIN',
    'This attempt cannot be tested again: only an inconclusive one can, once, whose judge left readings missing, and while what it trained, its judge, what it was compared with and money for its test are there.',
  )
}

/** What it trained, and what its test was fixed to. */
async function isAllThere(app: App, attempt: AttemptRow): Promise<boolean> {
  const { adapter, test, model, pipeline_id: pipelineId } = attempt
  if (adapter === null || !(await app.learning.modelStore.hasAdapter(adapter))) return false
  if (test === null) return true
  const live = await findLiveVersion(app.storage.db, pipelineId)
  const isSameLive = (live?.version_no ?? null) === test.compared_with
  return isSameLive && [model, test.judge].every((name) => app.catalog.find(name))
}

/** It may cost what the first test left of its allowance, and what is left of the month. */
async function planAgain(
  tx: Transaction<Database>,
  id: string,
  test: TestPlan,
  { charged, left }: { charged: Picodollars; left: Picodollars },
): Promise<TestPlan> {
  await dropFailedReadings(tx, id)
  const { cost, readings } = await sumTestCosts(tx, { id, test: null })
  const rest = BigInt(test.most) - charged
  const most = (rest < left ? rest : left).toString()
  return { ...test, most, kept: { cost: cost.toString(), readings } }
}
