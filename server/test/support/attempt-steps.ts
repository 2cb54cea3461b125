// Steps of attempts in a few words, for tables of moves.
import type { Step } from '#server/loop/attempt/next-step.ts'
import type { TestFacts } from '#server/loop/attempt/test-step.ts'

export const untested: TestFacts = {
  reservation: 'none',
  serving: 'none',
  canScore: true,
  unanswered: false,
  unread: false,
  unaffordable: null,
  promotion: { policy: 'holdout', k: null },
}

export function shownStep(step: Step, now: Date): string {
  if ('do' in step) return step.do
  if ('move' in step) return `to ${step.move.phase}`
  if ('wait' in step) {
    return `wait ${(step.wait.getTime() - now.getTime()) / 1000} s${step.here ? ' here' : ''}`
  }
  if ('hold' in step) return 'hold its machine'
  if ('end' in step) return `end ${step.end.result}`
  const { result, error_code, marks_back, pause, charge, decision, waits } = step.close
  const more = [
    marks_back && 'marks back',
    pause && 'pause',
    charge && 'charge',
    decision,
    waits && 'waits',
  ].filter(Boolean)
  return ['close', result, error_code, ...more].filter((word) => word !== null).join(' ')
}
