// When an attempt starts by itself. Pure.
import { trainingRowsMin } from '#contract/limits.ts'
import type { Schedule } from '#contract/pipeline-settings.ts'
import type { AttemptRow } from './attempt.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { scheduledAfter } from '../pipeline/scheduled-at.ts'
import { type CountedFor, distanceOf, type SampleCounts } from '../selection/minimums.ts'
import type { NewCounts } from '../selection/count-new.ts'

/** So long no import and no feedback came. */
const quietMs = 60_000
/** Then it starts although more keeps coming. */
const patienceMs = 600_000
/** After its time was seen, a scheduled attempt starts within this, or at the next one. */
const scheduleWindowMs = 600_000
/** Before an attempt that found too little, or that stalled, is tried again; doubled with each that stalls after it. */
const afterTroubleMs = 3_600_000
const afterTroubleMsMax = 24 * 3_600_000

type Newest = Pick<
  AttemptRow,
  'result' | 'error_code' | 'train_rows' | 'adapter' | 'created_at' | 'ended_at'
>

type Scheduled = Pick<PipelineRow, 'schedule' | 'schedule_seen_at' | 'updated_at'>

/**
 * Whether a time of its schedule has come that no process has seen yet. Those that were missed, while the machine slept or Hone was
 * stopped, are one.
 */
export function hasNewTime(
  { schedule, schedule_seen_at: seenAt, updated_at: savedAt }: Scheduled,
  newest: Pick<AttemptRow, 'created_at'> | null,
  now: Date,
): boolean {
  if (schedule === null) return false
  const times = [savedAt, seenAt, newest?.created_at].map((at) => at?.getTime() ?? 0)
  return scheduledAfter(schedule, new Date(Math.max(...times))) <= now
}

/** Whether there is anything to count for; what was tried in vain waits. `stalls`: so many of the newest stalled in a row. */
export function mayStart(
  pipeline: Scheduled,
  newest: Newest | null,
  now: Date,
  stalls = 0,
): boolean {
  const waitMs = Math.min(afterTroubleMsMax, afterTroubleMs * 2 ** Math.max(0, stalls - 1))
  if (newest && isTrouble(newest) && sinceMs(newest.ended_at, now) < waitMs) return false
  if (pipeline.schedule === null || startsAgain(pipeline, newest, now)) return true
  const { schedule_seen_at: seenAt, updated_at: savedAt } = pipeline
  if (seenAt === null || seenAt > now || sinceMs(seenAt, now) >= scheduleWindowMs) return false
  return savedAt < seenAt && (newest === null || newest.created_at < seenAt)
}

function isTrouble({ result, adapter, error_code }: Newest): boolean {
  // The former has passed, and the latter is asked before each start.
  const isOver = error_code?.startsWith('ENV_GATED') || error_code === 'TEST_NOT_AFFORDABLE'
  return result === 'not_tested' && (adapter === null || hasStalled({ error_code })) && !isOver
}

export function hasStalled({ error_code }: Pick<AttemptRow, 'error_code'>): boolean {
  return error_code?.startsWith('STEP_STALLED:') ?? false
}

/** Its time had come when the platform switched the loop off, so it does not wait for another unless that has passed meanwhile. */
export function startsAgain(
  { schedule }: { schedule: Schedule | null },
  newest: Pick<AttemptRow, 'error_code' | 'ended_at'> | null,
  now: Date,
): boolean {
  if (newest?.error_code !== 'ENV_GATED:SWITCHED_OFF') return false
  if (schedule === null || newest.ended_at === null) return true
  return scheduledAfter(schedule, newest.ended_at) > now
}

/** What a member stopped before it marked its samples does not start again for them. */
export function onlyAfter(newest: Newest | null): Date | null {
  return newest?.result === 'stopped' && newest.train_rows === null ? newest.ended_at : null
}

/**
 * Starting by itself takes more than the minimum: what earlier attempts used is not new, though it may not be learned. One that starts
 * again had enough before.
 */
export function hasEnough(counts: SampleCounts, of: CountedFor, isAgain: boolean): boolean {
  const { ready, new_samples } = distanceOf(counts, of)
  return ready && (isAgain || new_samples >= trainingRowsMin)
}

/** `readySince`: since when there is enough. */
export function isQuiet(
  { newestAt }: Pick<NewCounts, 'newestAt'>,
  readySince: Date,
  now: Date,
): boolean {
  return sinceMs(newestAt, now) >= quietMs || sinceMs(readySince, now) >= patienceMs
}

function sinceMs(then: Date | null, now: Date): number {
  return then === null ? Number.POSITIVE_INFINITY : now.getTime() - then.getTime()
}
