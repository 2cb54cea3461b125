// What stands in the way of starting an attempt. `run` refuses with the first of these, a dry run answers its code, an attempt that would
// start by itself waits for all of them, and `next_reason` says them in sentences. Pure.
import type { NeedsSave } from '../pipeline/needs-save.ts'
import type { TrainingMachine } from '../pipeline/trainable-models.ts'
import type { StoppedLive } from './stopped-live.ts'

export type Obstacle =
  | { code: 'NO_GPU_FITS' }
  | { code: 'RULE_PAUSED'; forFunds: boolean }
  | { code: 'RUN_ACTIVE' }
  | { code: 'PIPELINE_NEEDS_SAVE'; what: NeedsSave }
  | { code: 'VERSION_LIMIT_REACHED' }
  | { code: 'MONTHLY_LIMIT_REACHED'; until: Date }
  | { code: 'SCORING_CAPPED'; until: Date }
  | { code: 'AGENT_OFF' }
  | { code: 'LIVE_VERSION_STOPPED'; stopped: StoppedLive }
  | { code: 'NOT_ENOUGH_SAMPLES'; have: number; need: number; reason: string }
  | { code: 'GPU_OPTIONS_UNAVAILABLE' }
  | { code: 'AGENT_COULD_NOT_START' }
  /** The attempt starts when a member asks for it, and ends before it trains. */
  | { code: 'TEST_NOT_AFFORDABLE'; why: string }

/** What is null was not looked up, and is no obstacle. */
export type StartFacts = {
  /** Whether a machine of the catalog trains models. */
  machine: TrainingMachine
  enabled: boolean
  pausedForFunds: boolean
  running: boolean
  needsSave: NeedsSave | null
  /** It has as many versions as it may. */
  complete: boolean
  /** Until then one more attempt could exceed what all of a month may cost. */
  limitedUntil: Date | null
  /** Until then scoring has cost all that it may in a month. */
  cappedUntil: Date | null
  /** Once a missing or revoked one was made anew: whether it can be used, or could not be made. */
  scoringKey: 'usable' | 'off' | 'not_made' | null
  /** The live version, where it does not serve. */
  stoppedLive: StoppedLive | null
  /** `reason`: why they are not enough; null when they are. */
  samples: { have: number; need: number; reason: string | null } | null
  /** Why the money that a test may cost is not enough for one. */
  unaffordable: string | null
}

/** In the order of the table of errors, which decides what is answered when several apply. */
export function obstacles(facts: StartFacts): Obstacle[] {
  const found: Obstacle[] = []
  if (facts.machine === 'none') found.push({ code: 'NO_GPU_FITS' })
  if (!facts.enabled) found.push({ code: 'RULE_PAUSED', forFunds: facts.pausedForFunds })
  if (facts.running) found.push({ code: 'RUN_ACTIVE' })
  if (facts.needsSave !== null) {
    found.push({ code: 'PIPELINE_NEEDS_SAVE', what: facts.needsSave })
  }
  if (facts.complete) found.push({ code: 'VERSION_LIMIT_REACHED' })
  if (facts.limitedUntil !== null) {
    found.push({ code: 'MONTHLY_LIMIT_REACHED', until: facts.limitedUntil })
  }
  if (facts.cappedUntil !== null) found.push({ code: 'SCORING_CAPPED', until: facts.cappedUntil })
  if (facts.scoringKey === 'off') found.push({ code: 'AGENT_OFF' })
  if (facts.stoppedLive !== null) {
    found.push({ code: 'LIVE_VERSION_STOPPED', stopped: facts.stoppedLive })
  }
  if (facts.samples !== null && facts.samples.reason !== null) {
    const { have, need, reason } = facts.samples
    found.push({ code: 'NOT_ENOUGH_SAMPLES', have, need, reason })
  }
  if (facts.machine === 'unknown') found.push({ code: 'GPU_OPTIONS_UNAVAILABLE' })
  if (facts.scoringKey === 'not_made') found.push({ code: 'AGENT_COULD_NOT_START' })
  if (facts.unaffordable !== null) {
    found.push({ code: 'TEST_NOT_AFFORDABLE', why: facts.unaffordable })
  }
  return found
}
