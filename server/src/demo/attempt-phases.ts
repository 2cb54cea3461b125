// The phases of an attempt for a reader: their names, how long each lasted, and how far the present one is. Pure.
import type { Attempt, AttemptPhase } from '#contract/attempt.ts'
import { type Going, lasted } from './printout.ts'

export const phaseNames: Record<AttemptPhase, string> = {
  preparing: 'preparing',
  waiting_for_funds: 'waiting for funds',
  waiting_for_gpu: 'waiting for a machine',
  waiting_for_service: 'waiting for the trainer',
  waiting_for_room: 'waiting for a deployment',
  waiting_for_storage: 'waiting for storage',
  training: 'training',
  merging: 'merging',
  starting_machine: 'preparing the test',
  answering: 'answering',
  scoring: 'scoring',
  deciding: 'deciding',
  promoting: 'going live',
  ended: 'ending',
}

/** In the order in which it first came to them; the last move is its end. */
export function phaseTimes(moves: Attempt['moves']): { phase: AttemptPhase; seconds: number }[] {
  const seconds = new Map<AttemptPhase, number>()
  for (const [index, { to, at }] of moves.entries()) {
    const next = moves[index + 1]
    if (!next) break
    const here = (Date.parse(next.at) - Date.parse(at)) / 1000
    seconds.set(to, (seconds.get(to) ?? 0) + here)
  }
  return [...seconds].map(([phase, sum]) => ({ phase, seconds: sum }))
}

export function goingOn({ phase, progress }: Pick<Attempt, 'phase' | 'progress'>): Going {
  const what = phaseNames[phase]
  if (progress === null || progress.steps === 0) return { what, share: null, detail: '' }
  const { step, steps, loss, seconds_left: left } = progress
  const details = [
    `${phase === 'training' ? 'step ' : ''}${step} of ${steps}`,
    ...(loss === null ? [] : [`loss ${loss.toFixed(3)}`]),
    ...(left === null ? [] : [`${lasted(Math.round(left))} left`]),
  ]
  return { what, share: step / steps, detail: details.join(', ') }
}
