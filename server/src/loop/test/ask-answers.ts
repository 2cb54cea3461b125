// Has the new model and the live one answer held-back samples. Spec 2, held-back test, rule 1.
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { askModel } from './judge/ask-model.ts'
import { answerRequest } from './judge/test-request.ts'
import { keepWords } from './keep-words.ts'
import { redactReply } from './redact-words.ts'
import { askPortion, type PortionTry, portionMost, type Waits } from './ask-portion.ts'
import { insertAnswer, listMissingAnswers, markUnanswered } from './test-store.ts'
import type { TestedAttempt, TestPlan } from './tested-attempt.ts'

export async function askAnswers(
  app: App,
  attempt: TestedAttempt & { test: TestPlan; model: string },
  { caller, signal, waits }: { caller: Caller; signal: AbortSignal; waits: Waits },
): Promise<PortionTry> {
  const { db } = app.storage
  const row = app.catalog.find(attempt.model)
  if (!row) throw new Error(`the model ${attempt.model} is not in the catalog any more`)
  const missing = await listMissingAnswers(db, attempt.id, portionMost)
  return askPortion(
    app,
    attempt,
    { missing, waits, leaveOut: () => markUnanswered(db, attempt.id) },
    async (one, { conversation, rightAnswer, sampleObject }) => {
      const model = attempt.test[one.side]
      const request = answerRequest({ model, conversation, rightAnswer, row })
      const answer = await redactReply(app, await askModel(app, { caller, request, signal }))
      const said = 'blocks' in answer ? JSON.stringify(answer.blocks) : null
      return {
        away: 'failed' in answer && answer.away,
        cost: answer.cost,
        async store() {
          const place = { attempt, sampleId: one.sample_id, sampleObject }
          const kept = await keepWords(app, place, said)
          if (!kept) return false
          await insertAnswer(db, attempt, {
            ...one,
            answer: kept.words,
            answer_key: kept.key,
            failure: 'failed' in answer ? answer.failed : null,
            cost: answer.cost,
          })
          return true
        },
      }
    },
  )
}
