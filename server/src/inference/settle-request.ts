// What a call becomes once its model is known: the level it thinks at, the tokens it may generate, and the names of what
// was changed on the way.
import { adjustReasoning } from '../catalog/adjust-reasoning.ts'
import type { CatalogModel } from '../catalog/catalog-file.ts'
import { checkAbilities } from '../catalog/check-abilities.ts'
import { fitMaxTokens } from '../catalog/fit-max-tokens.ts'
import type { CallRequest, Effort } from '../core/request.ts'

export type SettledRequest = {
  effort: Effort | null
  thinkingBudgetTokens: number | null
  maxTokens: number
  /** For the header that tells a client what was changed. */
  adjusted: string[]
}

/** `promptTokens` is null where nobody counted them; the ceiling is then the window itself. */
export function settleRequest(
  model: CatalogModel,
  request: CallRequest,
  promptTokens: number | null = null,
): SettledRequest {
  checkAbilities(model, request)
  const reasoning = adjustReasoning(request.reasoning, model.reasoning)
  const fitted = fitMaxTokens(request.maxTokens, {
    contextWindow: model.context_window,
    maxOutputTokens: model.max_output_tokens,
    promptTokens,
  })
  return {
    effort: reasoning.effort,
    thinkingBudgetTokens: reasoning.budgetTokens,
    maxTokens: fitted.maxTokens,
    adjusted: [
      ...(reasoning.adjusted ? ['reasoning_effort'] : []),
      ...(fitted.adjusted ? ['max_tokens'] : []),
    ],
  }
}
