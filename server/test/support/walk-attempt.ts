// Walks attempts by hand on a clock that a test moves.
import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt } from '#contract/attempt.ts'
import { readAttempt } from './attempts.ts'
import type { ManualClock } from './manual-clock.ts'
import type { TestHone } from './test-hone.ts'
import { until } from './until.ts'

/** Until it stands so; the clock goes on by a second each time unless more is said. */
export async function walkAttempt(
  hone: TestHone,
  id: string,
  walk: { clock: ManualClock; until: (attempt: Attempt) => boolean; stepMs?: number },
): Promise<Attempt> {
  let attempt = await readAttempt(hone, id)
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    // What takes its time is not looked at all the time.
    await delay(20)
    walk.clock.forward(walk.stepMs ?? 1000)
    attempt = await readAttempt(hone, id)
    return walk.until(attempt)
  }).catch((error: unknown) => {
    throw new Error(`it stands at ${JSON.stringify(attempt)}`, { cause: error })
  })
  return attempt
}
