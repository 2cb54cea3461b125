// What a job changes outside of memory, in order. A process may be killed before and after each of them; the next one finishes
// the job all the same.
import { effectRunner } from '../lib/crash-point.ts'

/** Of the server. A stopped or given-up job's result is written by it too. */
export const serverEffects = ['write-job', 'start-process', 'tidy', 'merge', 'forget'] as const
/** Of the process that trains. */
export const trainerEffects = [
  'open-events',
  'write-checkpoint',
  'write-adapter',
  'write-result',
] as const

export const computeEffects = [...serverEffects, ...trainerEffects] as const

export const effect = effectRunner(computeEffects)
