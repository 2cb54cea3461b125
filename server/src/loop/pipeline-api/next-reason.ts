// What a pipeline waits for, in a sentence for the people who read it. Pure.
import type { Explanation } from '#contract/attempt.ts'
import { trainingRowsMin } from '#contract/limits.ts'
import type { Minimums, PipelineState } from '#contract/pipeline.ts'
import { grouped } from '../../lib/grouped.ts'
import type { Forecast } from '../selection/forecast.ts'

export type NextFacts = {
  state: PipelineState
  /** The attempt under way. */
  active: Explanation | null
  /** How the newest attempt ended. */
  last: string | null
  /** What stands in the settings and is no longer to be had, so that they must be saved anew. */
  needsSave: 'model' | 'challenger' | 'judge' | 'consent' | null
  /** Samples that the pipeline selects, whatever the feedback on them. */
  selected: number
  minimums: Minimums
  /** Why more than the usual number is needed, as another sentence; empty where it is not. */
  shortfall: string
  /** The number of the version that is live; from the first on, only new samples count. */
  liveVersion: number | null
  forecast: Forecast
  /** Until then scoring has cost all that it may in a month, so no attempt starts. */
  scoringCappedUntil: Date | null
  /** Why the money that a test may cost is not enough for one, so that no attempt trains. */
  unaffordable: string | null
  /** When the schedule starts the next attempt; null when there is none. */
  scheduledAt: Date | null
  autoScoring: boolean
  judge: { model: string; isNamed: boolean; needsRightAnswer: boolean }
}

export function nextReason(facts: NextFacts): string {
  const { active, state } = facts
  if (active !== null) return activeReason(active, state)
  const stays = stateReason(state) ?? saveReason(facts)
  if (stays !== null) return stays
  const samples = samplesReason(facts)
  const { scoringCappedUntil, unaffordable } = facts
  const money = scoringCappedUntil === null ? unaffordable : cappedReason(scoringCappedUntil)
  const waiting =
    money === null ? (samples ?? enoughReason(facts)) : `${money} ${samples ?? ''}`.trimEnd()
  return facts.last === null ? waiting : `${facts.last} ${waiting}`
}

/** A pipeline that was paused meanwhile lets it end. */
function activeReason({ headline, detail, next }: Explanation, state: PipelineState): string {
  const after = isPaused(state)
    ? 'The pipeline is paused, so no other attempt follows it.'
    : (next ?? '')
  return `${headline} ${detail} ${after}`.trimEnd()
}

function isPaused(state: PipelineState): boolean {
  return state === 'paused' || state === 'paused_for_funds'
}

function cappedReason(until: Date): string {
  return `The tests of this pipeline have cost as much as this platform allows in a month, so no attempt starts before ${minuteOf(until)}.`
}

function enoughReason({ scheduledAt, minimums }: NextFacts): string {
  if (scheduledAt !== null) {
    return `There are enough samples: the next attempt starts on ${minuteOf(scheduledAt)}, as scheduled.`
  }
  const { new_samples } = minimums
  return new_samples >= trainingRowsMin
    ? 'There are enough samples: the next attempt can start.'
    : `There are enough samples to train now; by itself, the next attempt starts at ${grouped(trainingRowsMin)} new ones, of which there are ${grouped(new_samples)}.`
}

function stateReason(state: PipelineState): string | null {
  switch (state) {
    case 'paused':
      return 'The pipeline is paused; save it with enabled true to resume it.'
    case 'paused_for_funds':
      return 'The pipeline was paused because the wallet held too little for an attempt; add funds and save it with enabled true.'
    case 'complete':
      return 'The pipeline has as many versions as max_versions allows; raise or remove the limit to continue.'
    case 'enabled':
      return null
  }
}

function saveReason({ needsSave, judge }: NextFacts): string | null {
  switch (needsSave) {
    case 'model':
      return 'The model of the pipeline is no longer in the catalog; save the pipeline with another.'
    case 'challenger':
      return 'The challenger model is no longer in the catalog; save the pipeline with another, or with null.'
    case 'judge':
      return judge.isNamed
        ? `The judge ${judge.model}, which the pipeline names, is no longer in the catalog; save the pipeline with another judge_model, or with null to have one chosen.`
        : `The judge ${judge.model} is no longer in the catalog; save the pipeline to choose another.`
    case 'consent':
      return 'The settings have changed since the pipeline was last saved; save it to accept them.'
    case null:
      return null
  }
}

/** Null when there are enough. */
function samplesReason(facts: NextFacts): string | null {
  const { minimums, selected, liveVersion } = facts
  if (minimums.ready) return null
  const { have, need } = minimums
  if (selected === 0) {
    return `Nothing is selected yet: no sample has the pipeline's tag or is in its tags and datasets. The next attempt needs ${grouped(need)} good or corrected samples.`
  }
  const good = liveVersion === null ? 'good or corrected' : 'new good or corrected'
  const waiting = `Waiting for samples: ${grouped(have)} of ${grouped(need)} ${good} ones are there`
  return `${waiting}${forecastClause(facts.forecast, need)}.${facts.shortfall}${unscoredSentence(facts)}`
}

function forecastClause(forecast: Forecast, need: number): string {
  switch (forecast.kind) {
    case 'at':
      return `, and at the present rate there will be enough on ${dayOf(forecast.at)}`
    case 'never':
      return `, and at the present rate there will never be ${grouped(need)}, because samples expire sooner than they come: at most ${grouped(forecast.most)} at once; keep them longer, or review more of them`
    case 'unknown':
      return ', and apart from imports none came in the last 7 days'
    case 'reached':
      return ''
  }
}

function unscoredSentence({ minimums, autoScoring, judge }: NextFacts): string {
  const { unreviewed } = minimums
  if (!autoScoring || !judge.needsRightAnswer || unreviewed === 0) return ''
  const samples = `${grouped(unreviewed)} unreviewed sample${unreviewed === 1 ? '' : 's'}`
  return ` The judge ${judge.model} cannot score what has no right answer, so ${samples} must be reviewed by people.`
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

function minuteOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' at ')} UTC`
}
