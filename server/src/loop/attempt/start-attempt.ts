// Train now: a member starts an attempt. It skips the schedule, never the minimum.
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { recordNotFound } from '../../core/record-refusals.ts'
import { Refusal } from '../../core/refusal.ts'
import { lockPipeline } from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { requirePipeline } from '../pipeline/require-pipeline.ts'
import { countNew } from '../selection/count-new.ts'
import { countedFor, minimumsOf } from '../selection/minimums.ts'
import { pipelineSelection } from '../selection/pipeline-selection.ts'
import { readVersions } from '../version/version-store.ts'
import type { AttemptRow } from './attempt.ts'
import { newAttempt } from './new-attempt.ts'
import { type Obstacle, obstacles, type StartFacts } from './obstacles.ts'
import { readStartFacts, renewKey } from './start-facts.ts'
import { stoppedSentence } from './stopped-live.ts'

export async function startAttempt(app: App, caller: Caller, id: string): Promise<AttemptRow> {
  const known = await requirePipeline(app, caller, id)
  const facts = await readStartFacts(app, app.storage.db, known)
  // What comes after a scoring key that cannot be used waits until it was made anew.
  const [first] = obstacles({ ...facts, scoringKey: 'off' })
  if (first?.code !== 'AGENT_OFF') refuse(facts)
  const scoringKey = await renewKey(app, known, { keep: true })
  const samples = await app.samples.longReads.run(known.workspace_id, () => count(app, known))
  refuse({ ...facts, scoringKey, samples })
  return app.storage.db.transaction().execute(async (tx) => {
    const pipeline = await lockPipeline(tx, caller.workspace.id, known.id)
    if (!pipeline) throw recordNotFound('pipeline')
    refuse(await readStartFacts(app, tx, pipeline))
    const row = await newAttempt(tx, app, { pipeline, orgId: caller.org.id, reason: 'manual' })
    const detail = { rule_id: pipeline.id, attempt_no: row.attempt_no }
    const event = { action: 'attempt.started', targetId: row.id, detail }
    await recordAudit(tx, actorOf(caller), event, row.created_at)
    return row
  })
}

/** One whose test cannot be paid for starts, and says so when it ends. */
function refuse(facts: StartFacts): void {
  const [first] = obstacles(facts)
  if (first && first.code !== 'TEST_NOT_AFFORDABLE') throw refusalOf(first)
}

export function refusalOf(obstacle: Exclude<Obstacle, { code: 'TEST_NOT_AFFORDABLE' }>): Refusal {
  const { code } = obstacle
  switch (code) {
    case 'NO_GPU_FITS':
      return new Refusal(code, 'No machine of this platform trains this model.')
    case 'RULE_PAUSED':
      return new Refusal(code, 'The pipeline is paused; save it with enabled true first.')
    case 'RUN_ACTIVE':
      return new Refusal(code, 'An attempt of this pipeline is under way.')
    case 'PIPELINE_NEEDS_SAVE':
      return new Refusal(code, 'What the pipeline was saved with has changed; save it again first.')
    case 'VERSION_LIMIT_REACHED':
      return new Refusal(
        code,
        'The pipeline has as many versions as max_versions allows; raise or remove the limit first.',
      )
    case 'MONTHLY_LIMIT_REACHED': {
      const resumesAt = obstacle.until.toISOString()
      return new Refusal(
        code,
        `One more attempt could exceed what the attempts of this pipeline may cost in a month; train again from ${resumesAt}.`,
        { extra: { resumes_at: resumesAt } },
      )
    }
    case 'SCORING_CAPPED': {
      const resumesAt = obstacle.until.toISOString()
      return new Refusal(
        code,
        `The tests of this pipeline have cost as much as this platform allows in a month; train again from ${resumesAt}.`,
        { extra: { resumes_at: resumesAt } },
      )
    }
    case 'AGENT_OFF':
      return new Refusal(
        code,
        'The scoring key of this pipeline is unusable, and so is the new one; ask those who run this platform.',
      )
    case 'LIVE_VERSION_STOPPED':
      return new Refusal(code, stoppedSentence(obstacle.stopped))
    case 'NOT_ENOUGH_SAMPLES': {
      const { have, need, reason } = obstacle
      return new Refusal(code, reason, { extra: { have, need } })
    }
    case 'GPU_OPTIONS_UNAVAILABLE':
      return new Refusal(
        code,
        'Which machines can train this model is not known, because the changed catalog file cannot be used; try again once it is fixed.',
        { retryAfterSeconds: 5 },
      )
    case 'AGENT_COULD_NOT_START':
      return new Refusal(
        code,
        'The scoring key of the pipeline could not be made, so nothing was started; try again in a moment.',
        { retryAfterSeconds: 5 },
      )
  }
}

async function count(app: App, pipeline: PipelineRow): Promise<StartFacts['samples']> {
  const { db } = app.storage
  const selection = await pipelineSelection(db, pipeline, app.clock.now())
  const counts = await countNew(db, pipeline, selection, null)
  const { live } = await readVersions(db, pipeline.id)
  return minimumsOf({ ...counts, unreviewed: 0 }, countedFor(pipeline, live))
}
