// What a pipeline waits for, in a sentence for the people who read it. Pure.
import type { Explanation } from '#contract/attempt.ts'
import { trainingRowsMin } from '#contract/limits.ts'
import type { Minimums } from '#contract/pipeline.ts'
import { grouped } from '../../lib/grouped.ts'
import type { Obstacle } from '../attempt/obstacles.ts'
import { stoppedSentence } from '../attempt/stopped-live.ts'
import type { NeedsSave } from '../pipeline/needs-save.ts'
import { type Forecast, moreReviews, soonDays } from '../selection/forecast.ts'
import { scoredLeast } from '../test/verdict/verdict-of-counts.ts'

export type NextFacts = {
  /** What stands in the way of the next attempt; the scoring key is made anew when it starts. */
  obstacles: readonly Obstacle[]
  /** The attempt under way. */
  active: Explanation | null
  /** How the newest attempt ended. */
  last: string | null
  /** Samples that the pipeline selects, whatever the feedback on them. */
  selected: number
  minimums: Minimums
  /** Why more than the usual number is needed, as another sentence; empty where it is not. */
  shortfall: string
  /** The number of the version that is live; from the first on, only new samples count. */
  liveVersion: number | null
  forecast: Forecast
  /** Samples that are held back, and those of them that will not have expired soon. */
  heldBack: { now: number; lasting: number }
  /** When the schedule starts the next attempt; null when there is none. */
  scheduledAt: Date | null
  autoScoring: boolean
  judge: { model: string; isNamed: boolean; needsRightAnswer: boolean }
}

export function nextReason(facts: NextFacts): string {
  const { active, last } = facts
  if (active !== null) return activeReason(active, facts.obstacles)
  const said = facts.obstacles.map(
    (obstacle) => [obstacle.code, sentenceOf(obstacle, facts)] as const,
  )
  const stays = said.find(([code]) => !passing.includes(code))
  if (stays) return stays[1]
  const sentences = said.map(([, sentence]) => sentence)
  const reasons = sentences.length === 0 ? enoughReason(facts) : sentences.join(' ')
  const waiting = `${reasons}${heldBackSentence(facts)}`
  return last === null ? waiting : `${last} ${waiting}`
}

/** These pass by themselves or with more samples; each says something of its own. */
const passing: Obstacle['code'][] = [
  'MONTHLY_LIMIT_REACHED',
  'SCORING_CAPPED',
  'TEST_NOT_AFFORDABLE',
  'NOT_ENOUGH_SAMPLES',
]

/** A pipeline that was paused meanwhile lets it end. */
function activeReason(
  { headline, detail, next }: Explanation,
  obstacles: readonly Obstacle[],
): string {
  const isPaused = obstacles.some(({ code }) => code === 'RULE_PAUSED')
  const after = isPaused ? 'The pipeline is paused, so no other attempt follows it.' : (next ?? '')
  return `${headline} ${detail} ${after}`.trimEnd()
}

function sentenceOf(obstacle: Obstacle, facts: NextFacts): string {
  switch (obstacle.code) {
    case 'NO_GPU_FITS':
      return 'No machine in the catalog trains the model of the pipeline at the moment.'
    case 'RULE_PAUSED':
      return obstacle.forFunds
        ? 'The pipeline was paused because the wallet held too little for an attempt; add funds and save it with enabled true.'
        : 'The pipeline is paused; save it with enabled true to resume it.'
    case 'RUN_ACTIVE':
      return 'An attempt is under way.'
    case 'PIPELINE_NEEDS_SAVE':
      return saveReason(obstacle.what, facts)
    case 'VERSION_LIMIT_REACHED':
      return 'The pipeline has as many versions as max_versions allows; raise or remove the limit to continue.'
    case 'MONTHLY_LIMIT_REACHED':
      return `One more attempt could exceed what the attempts of this pipeline may cost in a month, so none starts before ${minuteOf(obstacle.until)}.`
    case 'SCORING_CAPPED':
      return `The tests of this pipeline have cost as much as this platform allows in a month, so no attempt starts before ${minuteOf(obstacle.until)}.`
    case 'GPU_OPTIONS_UNAVAILABLE':
      return 'Which machines can train the model of the pipeline is not known, because the changed catalog file cannot be used; it trains once the file is fixed.'
    case 'AGENT_OFF':
    case 'AGENT_COULD_NOT_START':
      return 'The scoring key of the pipeline cannot be used; ask those who run this platform.'
    case 'LIVE_VERSION_STOPPED':
      return stoppedSentence(obstacle.stopped)
    case 'NOT_ENOUGH_SAMPLES':
      return samplesReason(facts)
    case 'TEST_NOT_AFFORDABLE':
      return obstacle.why
  }
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

function saveReason(what: NeedsSave, { judge }: NextFacts): string {
  switch (what) {
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
  }
}

function samplesReason(facts: NextFacts): string {
  const { minimums, selected, liveVersion } = facts
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
      return `, and at the present rate of reviews there will be enough on ${dayOf(forecast.at)}${soonerClause(forecast.sooner)}`
    case 'never':
      return `, and at the present rate of reviews there will never be ${grouped(need)}, because samples expire sooner than they come: at most ${grouped(forecast.most)} at once; keep them longer, or review at least ${grouped(forecast.enough)} a day`
    case 'unknown':
      return ', and apart from imports none was reviewed in the last 7 days'
    case 'reached':
      return ''
  }
}

function soonerClause(days: number): string {
  if (days < 1) return ''
  return `; ${moreReviews} more reviews a day bring that forward by ${grouped(days)} day${days === 1 ? '' : 's'}`
}

/** What expires is replaced when the next attempt selects its samples, if there are enough then. */
function heldBackSentence({ heldBack }: NextFacts): string {
  const { now, lasting } = heldBack
  if (now === 0 || lasting >= scoredLeast) return ''
  return ` Of the ${grouped(now)} samples that are held back for tests, only ${grouped(lasting)} will still be there in ${soonDays} days, and a test needs ${scoredLeast}; keep samples longer, or review more that can be held back instead.`
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
