// Forgets what was said in the tests of deleted pipelines, a portion at a time and each portion for itself: a process that dies leaves
// the rest for the next. An attempt that is still being stopped may store more, so its pipeline is looked at again until it has ended.
import type { App } from '../../app.ts'
import {
  endForgetting,
  findAttemptAfter,
  forgetPortion,
  type ForgettableAttempt,
  listToForget,
} from './test-words-store.ts'

type Ports = Pick<App, 'storage' | 'clock'> & { operations: { closing: boolean } }

export async function forgetDeleted(app: Ports): Promise<void> {
  const { db } = app.storage
  for (const pipelineId of await listToForget(db)) {
    let ended = true
    let attempt: ForgettableAttempt | null
    for (
      let no = 0;
      (attempt = await findAttemptAfter(db, pipelineId, no));
      no = attempt.attempt_no
    ) {
      ended &&= !attempt.running
      if (!(await forgetTest(app, attempt.id))) return
    }
    if (ended) await endForgetting(db, pipelineId)
  }
}

/** False where Hone is closing before the end. */
async function forgetTest(
  { storage, clock, operations }: Ports,
  attemptId: string,
): Promise<boolean> {
  let after: number | null = 0
  while (after !== null) {
    if (operations.closing) return false
    const portion: { attemptId: string; after: number } = { attemptId, after }
    after = await storage.db.transaction().execute((tx) => forgetPortion(tx, portion, clock.now()))
  }
  return true
}
