// How many tokens a request's prompt has, without asking the model to answer it. Costs nothing.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CatalogModel } from '../catalog/catalog-file.ts'
import { checkAbilities } from '../catalog/check-abilities.ts'
import type { CallRequest } from '../core/request.ts'
import { EngineError } from '../engine/engine.ts'
import type { LeaveSignal } from '../lib/call-signal.ts'
import { promptBlocks } from '../prompt-cache/prompt-blocks.ts'
import { validateBreakpoints } from '../prompt-cache/validate-breakpoints.ts'
import { hasImagesToFetch } from './fetch-images.ts'
import { findModel } from './find-model.ts'
import { promptTokensMax } from './prompt-tokens-max.ts'
import { settleRequest } from './settle-request.ts'

/** Where no engine of the model can count: about four bytes of text are a token. */
const bytesPerToken = 4
/** What an estimate leaves for the answer at least: a prompt that is too long is for the model server to refuse. */
const answerTokensMin = 256

type CountContext = { requestId: string; signal: LeaveSignal }

/** Refuses whatever a call with the same request would be refused for before its model is asked. */
export async function countPromptTokens(
  app: App,
  caller: Caller,
  request: CallRequest,
  context: CountContext,
): Promise<number> {
  const model = findModel(app, request.model)
  checkAbilities(model, request)
  validateBreakpoints(promptBlocks(request), request.cache)
  const counted = await askEngines(app, caller, model, request, context)
  return counted ?? estimate(request)
}

/** Whether prompt and answer together might not fit. */
export function isTight(model: CatalogModel, request: CallRequest, promptMost: number): boolean {
  const answer = Math.min(request.maxTokens ?? model.max_output_tokens, model.max_output_tokens)
  return promptMost + answer > model.context_window
}

/** For a request that is tight: counts it, or estimates where nobody can. */
export async function countTight(
  app: App,
  caller: Caller,
  model: CatalogModel,
  request: CallRequest,
  context: CountContext,
): Promise<number> {
  const counted = await askEngines(app, caller, model, request, context)
  return counted ?? Math.min(estimate(request), Math.max(0, model.context_window - answerTokensMin))
}

function estimate(request: CallRequest): number {
  return Math.ceil(promptTokensMax(request) / bytesPerToken)
}

async function askEngines(
  app: App,
  caller: Caller,
  model: CatalogModel,
  request: CallRequest,
  context: CountContext,
): Promise<number | null> {
  // No server is told an address that it may not fetch, and fetching it here is too much for a count.
  if (hasImagesToFetch(model, request)) return null
  const { effort, thinkingBudgetTokens, maxTokens } = settleRequest(model, request)
  for (const route of model.routes) {
    const call = {
      request,
      engineModel: route.model ?? model.id,
      effort,
      canThink: model.reasoning !== undefined,
      thinkingBudgetTokens,
      maxTokens,
      requestId: context.requestId,
      workspaceId: caller.workspace.id,
    }
    try {
      const engine = app.answerPorts.engineAt(route)
      const tokens = await engine.countPromptTokens(call, context.signal)
      if (tokens !== null) return tokens
    } catch (error) {
      // A route that cannot count may still answer, or say better what is wrong.
      if (!(error instanceof EngineError)) throw error
    }
  }
  return null
}
