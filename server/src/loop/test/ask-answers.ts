// Has the new model and the live one answer held-back samples. Spec 2, held-back test, rule 1.
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import type { AttemptRow, TestPlan } from '../attempt/attempt.ts'
import { askModel } from './judge/ask-model.ts'
import { answerRequest } from './judge/test-request.ts'
import type { PortionTry } from './after-portion.ts'
import { keepWords } from './keep-words.ts'
import { askPortion, portionMost } from './ask-portion.ts'
import { insertAnswer, listMissingAnswers } from './test-store.ts'

export async function askAnswers(
  app: App,
  attempt: AttemptRow & { test: TestPlan },
  { caller, signal }: { caller: Caller; signal: AbortSignal },
): Promise<PortionTry> {
  const { db } = app.storage
  const row = app.catalog.find(attempt.model)
  if (!row) throw new Error(`the model ${attempt.model} is not in the catalog any more`)
  const missing = await listMissingAnswers(db, attempt.id, portionMost)
  return askPortion(
    app,
    attempt,
    missing,
    async (one, { conversation, rightAnswer, sampleObject }) => {
      const model = one.side === 'new' ? attempt.test.candidate : attempt.test.live
      const request = answerRequest({ model, conversation, rightAnswer, row })
      const answer = await askModel(app, { caller, request, signal })
      const said = 'blocks' in answer ? JSON.stringify(answer.blocks) : null
      return {
        away: 'failed' in answer && answer.away,
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
