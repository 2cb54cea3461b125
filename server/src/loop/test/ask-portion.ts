// Asks models or the judge for a portion of what is missing, a few at a time. What comes is stored as it comes.
import type { App } from '../../app.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import type { AttemptRow } from '../attempt/attempt.ts'
import type { PortionTry } from './after-portion.ts'
import { isAwayAwaited } from './away-wait.ts'
import { isStorageAwaited } from './storage-wait.ts'
import { questionBytesMost, readTestQuestions, type TestQuestion } from './test-questions.ts'
import { markMissing } from './test-store.ts'

/** So many of the missing are read together. */
export const portionMost = 64
const callsAtOnce = 8
/** Then no other call of the portion begins, so that an attempt that is stopped ends within seconds. */
const portionMs = 3000

export type Asked =
  | {
      /** The servers took no call. */
      away: boolean
      /** False where the workspace's own bucket does not take what was said. */
      store(): Promise<boolean>
    }
  /** What was answered before cannot be read. */
  | 'gone'
  | 'unreadable'

export async function askPortion<Missing extends { sample_id: string }>(
  app: App,
  attempt: AttemptRow,
  missing: readonly Missing[],
  ask: (one: Missing, question: TestQuestion) => Promise<Asked>,
): Promise<PortionTry> {
  const ids = [...new Set(missing.map(({ sample_id }) => sample_id))]
  const questions = await readTestQuestions(app, attempt, ids, questionBytesMost)
  const unreadable = new Set(ids.filter((id) => questions.get(id) === 'unreadable'))
  const gone = new Set(ids.filter((id) => questions.get(id) === 'gone'))
  const now = app.clock.now()
  const { state } = attempt
  const waitsForStorage = isStorageAwaited(
    'unreadable' in state ? state.unreadable : undefined,
    now,
  )
  const waitsForServers = isAwayAwaited('away' in state ? state.away : undefined, now)
  let away = false
  let isStuck = false
  const endMs = performance.now() + portionMs
  await inParallel(missing, callsAtOnce, async (one) => {
    const { sample_id: id } = one
    const question = questions.get(id)
    const isOver = performance.now() >= endMs || isStuck || gone.has(id) || unreadable.has(id)
    if (typeof question !== 'object' || isOver) return
    const asked = await ask(one, question)
    if (asked === 'gone') {
      gone.add(id)
    } else if (asked === 'unreadable') {
      unreadable.add(id)
      isStuck ||= waitsForStorage
    } else if (asked.away && waitsForServers) {
      away = isStuck = true
    } else {
      away ||= asked.away
      if (await asked.store()) return
      unreadable.add(id)
      isStuck ||= waitsForStorage
    }
  })
  await markMissing(
    app.storage.db,
    attempt.id,
    waitsForStorage ? [...gone] : [...gone, ...unreadable],
  )
  const { size } = unreadable
  const storage = waitsForStorage ? { awaited: size, leftOut: 0 } : { awaited: 0, leftOut: size }
  return { storage, away }
}
