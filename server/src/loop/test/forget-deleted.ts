// Forgets the tests of deleted pipelines, a portion at a time and each portion for itself: a process that dies leaves the rest for the
// next. An attempt that is still being stopped needs its rows and may store more, so only what was said in its test is forgotten, and its
// pipeline is looked at again until it has ended.
import type { App } from '../../app.ts'
import {
  endForgetting,
  findAttemptAfter,
  forgetPortion,
  type ForgettableAttempt,
  listToForget,
} from './test-words-store.ts'

type Ports = Pick<App, 'storage' | 'clock'> & { operations: { closing: boolean } }

/** `forgetLearned`: at the end, what the pipeline knows of its samples. False where it was stopped before its own end. */
export async function forgetDeleted(
  app: Ports,
  forgetLearned: (pipelineId: string) => Promise<boolean>,
): Promise<void> {
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
      if (!(await forgetTest(app, attempt))) return
    }
    if (!ended) continue
    if (!(await forgetLearned(pipelineId))) return
    await endForgetting(db, pipelineId)
  }
}

/** False where Hone is closing before the end. */
async function forgetTest(
  { storage, clock, operations }: Ports,
  attempt: ForgettableAttempt,
): Promise<boolean> {
  let after: number | null = 0
  while (after !== null) {
    if (operations.closing) return false
    const behind: number = after
    after = await storage.db
      .transaction()
      .execute((tx) => forgetPortion(tx, attempt, behind, clock.now()))
  }
  return true
}
