// Asks models or the judge for a portion of what is missing, a few at a time. What comes is stored as it comes.
import type { App } from '../../app.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import type { AttemptRow } from '../attempt/attempt.ts'
import { storageWaitMs } from '../attempt/test-step.ts'
import { readTestQuestions, type TestQuestion } from './test-questions.ts'
import { markMissing } from '../attempt/test-store.ts'

/** So many of the missing are read together. */
export const portionMost = 64
const callsAtOnce = 8
/** Then no other call of the portion begins, so that an attempt that is stopped ends within seconds. */
const portionMs = 3000

export async function askPortion<Missing extends { sample_id: string }>(
  app: App,
  attempt: AttemptRow,
  missing: readonly Missing[],
  ask: (one: Missing, question: TestQuestion) => Promise<void>,
): Promise<void> {
  const ids = [...new Set(missing.map(({ sample_id }) => sample_id))]
  const questions = await readTestQuestions(app, attempt, ids)
  const unreadable = ids.filter((id) => questions.get(id) === 'unreadable')
  const gone = ids.filter((id) => questions.get(id) === 'gone')
  const isPatient = sinceFailingMs(app, attempt) < storageWaitMs
  await markMissing(app.storage.db, attempt.id, isPatient ? gone : [...gone, ...unreadable])
  const endMs = performance.now() + portionMs
  const asked = await inParallel(missing, callsAtOnce, async (one) => {
    const question = questions.get(one.sample_id)
    if (typeof question !== 'object' || performance.now() >= endMs) return 0
    await ask(one, question)
    return 1
  })
  if (isPatient && unreadable.length > 0 && !asked.includes(1)) {
    throw new Error("held-back samples in the workspace's own storage cannot be read")
  }
}

/** Since when nothing could be asked, because nothing could be read. */
function sinceFailingMs({ clock }: App, { state: { failing } }: AttemptRow): number {
  return failing ? clock.now().getTime() - Date.parse(failing.since) : 0
}
