// One model call up to its engine: resolve, adjust, plan the cache, take what its billing takes.
import type { App } from '../app.ts'
import { crashPoint } from '../lib/crash-point.ts'
import { mostItCanCost } from '../wallet/price-usage.ts'
import type { CallContext } from './call-context.ts'
import { countTight, isTight } from './count-prompt-tokens.ts'
import { OpenCall } from './open-call.ts'
import { promptTokensMax } from './prompt-tokens-max.ts'
import { ratesOf } from './rates.ts'
import { settleRequest } from './settle-request.ts'

export async function beginCall(app: App, context: CallContext): Promise<OpenCall> {
  const { caller, request, billing, requestId, startedAt } = context
  const resolved = await app.calls.models.resolve(caller, request.model, context.dialect)
  const { model, engineName, source, away } = resolved
  const promptMost = promptTokensMax(request)
  // A model that does not serve now counts nothing either.
  const promptTokens =
    away === null && isTight(model, request, promptMost)
      ? await countTight(app, caller, model, request, context)
      : null
  const settled = settleRequest(model, request, promptTokens)
  const startedMs = app.clock.monotonicMs()
  const plan = await app.calls.promptCache.plan({
    request,
    model: engineName,
    workspaceId: caller.workspace.id,
    caching: model.prompt_caching,
    effort: settled.effort,
    startedAt,
  })
  const promptMax = Math.min(promptMost, model.context_window)
  const prices = model.routes.map((one) => ratesOf(one).prices)
  const bill = await billing.open(
    { app, caller, request, requestId, startedAt, model: model.id, source },
    {
      cost: mostItCanCost(promptMax, settled.maxTokens, prices),
      tokens: Math.ceil(promptMax / 4) + settled.maxTokens,
    },
  )
  crashPoint('admitted')
  return new OpenCall({ app, context, resolved, settled, startedMs, promptMost, plan, bill })
}
