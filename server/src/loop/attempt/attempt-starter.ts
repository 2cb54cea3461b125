// Starts attempts by themselves: those whose scheduled time has come, and those that have enough new samples.
import type { AttemptReason } from '#contract/attempt.ts'
import type { App } from '../../app.ts'
import { findOrgOf } from '../../account/account-store.ts'
import { newId } from '../../lib/id.ts'
import { isUniqueViolation } from '../../storage/storage-unavailable.ts'
import { countStalls, findNewest, listNewest } from './attempt-store.ts'
import { type AttemptRow, isUnderWay } from './attempt.ts'
import { listWorkspacesWithNewSignals } from '../../samples/feedback/signal-store.ts'
import { renewScoringKey } from '../test/judge/scoring-key.ts'
import { listEnabledPipelines, lockPipeline, setScheduleSeen } from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { countNew, type NewCounts } from '../selection/count-new.ts'
import { countedFor } from '../selection/minimums.ts'
import { pipelineSelection } from '../selection/pipeline-selection.ts'
import { readVersionsOf } from '../version/version-store.ts'
import {
  hasEnough,
  hasNewTime,
  hasStalled,
  isQuiet,
  mayStart,
  onlyAfter,
  startsAgain,
} from './is-due.ts'
import { newAttempt } from './new-attempt.ts'
import { obstacles, type StartFacts } from './obstacles.ts'
import { readMonthCosts } from './month-costs.ts'
import { moneyFactsOf, readStartFacts, startFactsOf } from './start-facts.ts'
import { readStoppedLive } from './stopped-live.ts'

/** Feedback of other processes, or in long transactions, may become visible so late. */
const lateMs = 120_000
/** Counting takes at most this share of the time of a connection. */
const countShare = 1 / 20

/** A pipeline with its newest attempt and the number of its live version. */
type Known = { pipeline: PipelineRow; last: AttemptRow | null; live: number | null }

type Look = {
  /** Of what was known when it was counted. */
  state: string
  /** Null while there is too little. */
  readySince: Date | null
  /** Feedback has come since, or may have. */
  isOutdated: boolean
  /** Not before, by the monotonic clock. */
  nextMs: number
}

/** Remembers what it counted, so that a pipeline for which nothing changed costs nothing. */
export class AttemptStarter {
  readonly #looks = new Map<string, Look>()
  #seenAt: Date | null = null

  async startDue(app: App): Promise<void> {
    const { db } = app.storage
    const now = app.clock.now()
    const pipelines = await listEnabledPipelines(db)
    const ids = pipelines.map(({ id }) => id)
    const newest = await listNewest(db, ids)
    const stalled = ids.filter((id) => hasStalled(newest.get(id) ?? { error_code: null }))
    const stalls = stalled.length > 0 ? await countStalls(db, stalled) : null
    const versions = await readVersionsOf(db, ids)
    const since = this.#seenAt && newId(new Date(this.#seenAt.getTime() - lateMs))
    const changed = since === null ? null : await listWorkspacesWithNewSignals(db, since)
    for (const row of pipelines) {
      const last = newest.get(row.id) ?? null
      const isNewTime = hasNewTime(row, last, now) && (await setScheduleSeen(db, row, now))
      const pipeline = isNewTime ? { ...row, schedule_seen_at: now } : row
      // Kept until it is counted, because that may be as late as the next time of its schedule.
      const look = this.#looks.get(pipeline.id)
      if (look && changed?.has(pipeline.workspace_id)) look.isOutdated = true
      const { total, live } = versions.get(pipeline.id)!
      const running = last !== null && isUnderWay(last)
      const facts = startFactsOf(app, pipeline, { running, versions: total })
      if (obstacles(facts).length > 0) continue
      if (!mayStart(pipeline, last, now, stalls?.get(pipeline.id))) continue
      const known = { pipeline, last, live }
      if (!this.#isWorthALook(app, known)) continue
      await this.#look(app, known, facts, now).catch((err: unknown) =>
        app.log.warn({ err, pipeline_id: pipeline.id }, 'a pipeline could not be looked at'),
      )
    }
    this.#seenAt = now
    const known = new Set(pipelines.map(({ id }) => id))
    for (const id of this.#looks.keys()) if (!known.has(id)) this.#looks.delete(id)
  }

  #isWorthALook(app: App, known: Known): boolean {
    const look = this.#looks.get(known.pipeline.id)
    if (!look) return true
    if (app.clock.monotonicMs() < look.nextMs) return false
    return look.isOutdated || look.readySince !== null || look.state !== stateOf(known)
  }

  async #look(app: App, known: Known, facts: StartFacts, now: Date): Promise<void> {
    const { pipeline, last, live } = known
    const { db } = app.storage
    const money = moneyFactsOf(app, pipeline, await readMonthCosts(app, pipeline.id))
    const stoppedLive = live === null ? null : await readStoppedLive(app, db, pipeline.id)
    if (obstacles({ ...facts, ...money, stoppedLive }).length > 0) {
      // Feedback that comes meanwhile is counted when it can start again, although no more comes then.
      this.#looks.delete(pipeline.id)
      return
    }
    const state = stateOf(known)
    const before = this.#looks.get(pipeline.id)
    // After an attempt, and after a change of the pipeline, the ten minutes begin again.
    const wasReadySince = before?.state === state ? before.readySince : null
    const startMs = app.clock.monotonicMs()
    const keep = (found: Pick<Look, 'readySince' | 'isOutdated'>): void => {
      const tookMs = app.clock.monotonicMs() - startMs
      this.#looks.set(pipeline.id, { ...found, state, nextMs: startMs + tookMs / countShare })
    }
    const after = onlyAfter(last)
    const count = async (): Promise<NewCounts> => {
      const selection = await pipelineSelection(db, pipeline, now)
      return app.samples.longReads.run(pipeline.workspace_id, () =>
        countNew(db, pipeline, selection, after && newId(after)),
      )
    }
    const counts = await count().catch((error: unknown) => {
      // A count that fails takes as much of a connection's time as one that succeeds.
      keep({ readySince: wasReadySince, isOutdated: true })
      throw error
    })
    const isAgain = startsAgain(pipeline, last, now)
    const isReady = hasEnough(counts, countedFor(pipeline, live), isAgain)
    const readySince = isReady ? (wasReadySince ?? now) : null
    keep({ readySince, isOutdated: false })
    if (readySince === null) return
    const waitsForQuiet = pipeline.schedule === null && !isAgain
    if (waitsForQuiet && !isQuiet(counts, readySince, now)) return
    const ownReason = pipeline.schedule === null ? 'data' : 'schedule'
    await start(app, known, last && isAgain ? last.reason : ownReason)
  }
}

function stateOf({ pipeline, last, live }: Known): string {
  const { revision, last_skipped, shortfall } = pipeline
  return [revision, last_skipped, shortfall?.at, last?.id, last?.result, live].join(' ')
}

/** Nothing, where the pipeline or its attempts are no longer as they were counted for: another process may have started one. */
async function start(
  app: App,
  { pipeline: known, last }: Known,
  reason: AttemptReason,
): Promise<void> {
  try {
    await app.storage.db.transaction().execute(async (tx) => {
      const pipeline = await lockPipeline(tx, known.workspace_id, known.id)
      if (pipeline?.revision !== known.revision) return
      const newest = await findNewest(tx, known.id)
      if (newest?.id !== last?.id) return
      if (obstacles(await readStartFacts(app, tx, pipeline)).length > 0) return
      if (!(await renewScoringKey(tx, pipeline, app.clock.now()))) return
      const orgId = await findOrgOf(tx, known.workspace_id)
      await newAttempt(tx, app, { pipeline, orgId, reason })
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
}
