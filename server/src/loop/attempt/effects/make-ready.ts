// Has the new model say a word, so that its engine is open when the name that never changes moves to it.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import { callModel } from '../../test/judge/ask-model.ts'
import { scoringCaller } from '../../test/judge/scoring-key.ts'
import { answerRequest } from '../../test/judge/test-request.ts'
import type { Done } from './effects.ts'
import { plannedTest } from '../test-of.ts'

const conversation = {
  tools: [],
  system: [],
  messages: [{ role: 'user' as const, blocks: [{ type: 'text' as const, text: 'Hello' }] }],
}

export async function makeReady(app: App, attempt: AttemptRow, signal: AbortSignal): Promise<Done> {
  const caller = await scoringCaller(app, attempt.pipeline_id)
  const row = app.catalog.find(attempt.model)
  if (!row) throw new Error(`the model ${attempt.model} is not in the catalog any more`)
  // Without its key nothing can be asked; what answered a whole test can be served.
  if (caller) {
    const model = plannedTest(attempt).test.candidate
    const asked = answerRequest({ model, row, conversation, rightAnswer: [] })
    const reply = await callModel(app, { caller, request: { ...asked, maxTokens: 1 }, signal })
    if ('failed' in reply) throw new Error(`the new model does not answer: ${reply.why}`)
  }
  return { changes: { state: { phase: 'promoting', ready: true } } }
}
