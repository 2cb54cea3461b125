// Has the judge read a portion of the answers.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import { afterPortion } from '../../test/after-portion.ts'
import { askReadings } from '../../test/ask-readings.ts'
import { scoringCaller } from '../../test/judge/scoring-key.ts'
import type { Done } from './effects.ts'
import { plannedTest } from '../test-of.ts'

export async function read(
  app: App,
  attempt: AttemptRow,
  signal: AbortSignal,
): Promise<Done | void> {
  const caller = await scoringCaller(app, attempt.pipeline_id)
  if (!caller) return
  const tried = await askReadings(app, plannedTest(attempt), { caller, signal })
  return { changes: { state: afterPortion(attempt.state, tried, app.clock.now()) } }
}
