// How many tokens a request's prompt has, without asking the model to answer it. Costs nothing.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CatalogModel } from '../catalog/catalog-file.ts'
import { checkAbilities } from '../catalog/check-abilities.ts'
import { Refusal } from '../core/refusal.ts'
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
  const { tokens } = await askEngines(app, caller, model, request, context)
  return tokens ?? estimate(request)
}

/** Whether prompt and answer together might not fit. */
export function isTight(model: CatalogModel, request: CallRequest, promptMost: number): boolean {
  const answer = Math.min(request.maxTokens ?? model.max_output_tokens, model.max_output_tokens)
  return promptMost + answer > model.context_window
}

/**
 * For a request that is tight: counts it, or estimates where nobody can. A prompt that leaves no room for an answer is refused
 * here, before it holds or takes anything.
 */
export async function countTight(
  app: App,
  caller: Caller,
  model: CatalogModel,
  request: CallRequest,
  context: CountContext,
): Promise<number> {
  const { tokens, tooLong } = await askEngines(app, caller, model, request, context)
  const { id, context_window: window } = model
  if (tokens === null) {
    if (tooLong !== null) throw new Refusal('invalid_value', tooLong, { param: 'messages' })
    return Math.min(estimate(request), Math.max(0, window - answerTokensMin))
  }
  if (tokens < window) return tokens
  throw new Refusal(
    'invalid_value',
    `The prompt is ${tokens} tokens long, but the context window of ${id} has room for ${window - 1}; shorten the conversation.`,
    { param: 'messages' },
  )
}

function estimate(request: CallRequest): number {
  return Math.ceil(promptTokensMax(request) / bytesPerToken)
}

/** `tooLong` is what the last engine said that would not count so much, where no other did. */
type Count = { tokens: number | null; tooLong: string | null }

async function askEngines(
  app: App,
  caller: Caller,
  model: CatalogModel,
  request: CallRequest,
  context: CountContext,
): Promise<Count> {
  // No server is told an address that it may not fetch, and fetching it here is too much for a count.
  if (hasImagesToFetch(model, request)) return { tokens: null, tooLong: null }
  const { effort, thinkingBudgetTokens, maxTokens } = settleRequest(model, request)
  let tooLong: string | null = null
  for (const route of model.routes) {
    const call = {
      request,
      engineModel: route.model ?? model.id,
      effort,
      canThink: model.reasoning !== undefined,
      mustThink: model.reasoning?.required ?? false,
      thinkingBudgetTokens,
      maxTokens,
      requestId: context.requestId,
      workspaceId: caller.workspace.id,
    }
    try {
      const engine = app.answerPorts.engineAt(route)
      const tokens = await engine.countPromptTokens(call, context.signal)
      if (tokens !== null) return { tokens, tooLong: null }
    } catch (error) {
      // A route that cannot count may still answer, or say better what is wrong.
      if (!(error instanceof EngineError)) throw error
      if (error.failure === 'refused' && error.param === 'messages') tooLong = error.message
    }
  }
  return { tokens: null, tooLong }
}
