// Asks models or the judge for a portion of what is missing, a few at a time. What comes is stored as it comes.
import type { App } from '../../app.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import type { AttemptRow } from '../attempt/attempt.ts'
import type { PortionTry } from '../attempt/after-portion.ts'
import { isAwayAwaited } from '../attempt/away-wait.ts'
import { isStorageAwaited } from '../attempt/storage-wait.ts'
import { readTestQuestions, type TestQuestion } from './test-questions.ts'
import { markMissing } from '../attempt/test-store.ts'

/** So many of the missing are read together. */
export const portionMost = 64
const callsAtOnce = 8
/** Then no other call of the portion begins, so that an attempt that is stopped ends within seconds. */
const portionMs = 3000

export type Asked = {
  /** The servers took no call. */
  away: boolean
  store(): Promise<void>
}

export async function askPortion<Missing extends { sample_id: string }>(
  app: App,
  attempt: AttemptRow,
  missing: readonly Missing[],
  ask: (one: Missing, question: TestQuestion) => Promise<Asked>,
): Promise<PortionTry> {
  const ids = [...new Set(missing.map(({ sample_id }) => sample_id))]
  const questions = await readTestQuestions(app, attempt, ids)
  const unreadable = ids.filter((id) => questions.get(id) === 'unreadable')
  const gone = ids.filter((id) => questions.get(id) === 'gone')
  const unreadableIn = 'unreadable' in attempt.state ? attempt.state.unreadable : undefined
  const waits = isStorageAwaited(unreadableIn, app.clock.now())
  await markMissing(app.storage.db, attempt.id, waits ? gone : [...gone, ...unreadable])
  const awayIn = 'away' in attempt.state ? attempt.state.away : undefined
  const waitsForServers = isAwayAwaited(awayIn, app.clock.now())
  let away = false
  const endMs = performance.now() + portionMs
  await inParallel(missing, callsAtOnce, async (one) => {
    const question = questions.get(one.sample_id)
    const isOver = performance.now() >= endMs || (away && waitsForServers)
    if (typeof question !== 'object' || isOver) return
    const asked = await ask(one, question)
    if (asked.away) away = true
    if (!asked.away || !waitsForServers) await asked.store()
  })
  const { length } = unreadable
  const storage = waits ? { awaited: length, leftOut: 0 } : { awaited: 0, leftOut: length }
  return { storage, away }
}
