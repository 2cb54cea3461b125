// Steps of attempts in a few words, for tables of moves.
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { nextStep } from '#server/loop/attempt/next-step.ts'
import { type Facts, factsNeeded, onlyGathered, type Step } from '#server/loop/attempt/step.ts'

const facts: Facts = {
  loopOn: true,
  training: { state: 'unknown' },
  ahead: 0,
  trainingFunds: 'none',
  testFunds: 'none',
  rowsThere: false,
  curveKept: false,
  unaffordable: null,
  serving: 'none',
  pricedSince: null,
  belowLimit: true,
  canScore: true,
  unanswered: false,
  unread: false,
  promotion: { policy: 'holdout', k: null },
}

/** With no other facts than those that are gathered for it. */
export function stepWith(attempt: AttemptRow, change: Partial<Facts>, now: Date): Step {
  const all = { ...facts, ...change }
  const { loopOn, training } = all
  const needed = factsNeeded(attempt, { loopOn, hasTrained: training.state === 'ended' })
  const gathered = Object.fromEntries(needed.map((name) => [name, all[name]]))
  return nextStep(attempt, onlyGathered({ loopOn, ...gathered }), now)
}

export function shownStep(step: Step, now: Date): string {
  if ('do' in step) return step.do
  if ('move' in step) return `to ${step.move.phase}`
  if ('wait' in step) {
    return `wait ${(step.wait.getTime() - now.getTime()) / 1000} s${step.here ? ' here' : ''}`
  }
  if ('hold' in step) return 'hold its machine'
  if ('end' in step) {
    const { result, decision } = step.end
    return decision === null ? `end ${result}` : `end ${result} ${decision}`
  }
  const { result, error_code, marks_back, pause, charge, decision, waits, skipped } = step.close
  const more = [
    marks_back && 'marks back',
    pause && 'pause',
    charge && 'charge',
    decision,
    waits && 'waits',
    skipped && `without ${skipped.join()}`,
  ].filter(Boolean)
  return ['close', result, error_code, ...more].filter((word) => word !== null).join(' ')
}
