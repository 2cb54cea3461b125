// Has both models answer a portion of the held-back samples.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import { afterPortion } from '../../test/after-portion.ts'
import { askAnswers } from '../../test/ask-answers.ts'
import { scoringCaller } from '../../test/judge/scoring-key.ts'
import type { Done } from './effects.ts'
import { plannedTest } from '../test-of.ts'

export async function answer(
  app: App,
  attempt: AttemptRow,
  signal: AbortSignal,
): Promise<Done | void> {
  const caller = await scoringCaller(app, attempt.pipeline_id)
  if (!caller) return
  const tried = await askAnswers(app, plannedTest(attempt), { caller, signal })
  return { changes: { state: afterPortion(attempt.state, tried, app.clock.now()) } }
}
