// How many tokens a request's prompt has, without asking the model to answer it. Costs nothing.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CatalogModel } from '../catalog/catalog-file.ts'
import { checkAbilities } from '../catalog/check-abilities.ts'
import { Refusal } from '../core/refusal.ts'
import type { CallRequest } from '../core/request.ts'
import { EngineError } from '../engine/engine.ts'
import { promptBlocks } from '../core/prompt-blocks.ts'
import { validateBreakpoints } from '../prompt-cache/validate-breakpoints.ts'
import { hasImagesToFetch } from './fetch-images.ts'
import { promptTokensMax } from './prompt-tokens-max.ts'
import { refusalOf } from './refusal-of.ts'
import { routeKey } from './route-key.ts'
import { settleRequest } from './settle-request.ts'

/** Where no engine of the model can count: about four bytes of text are a token. */
const bytesPerToken = 4
/** What an estimate leaves for the answer at least: a prompt that is too long is for the model server to refuse. */
const answerTokensMin = 256

type CountContext = { requestId: string; signal: AbortSignal }

/** Refuses whatever a call with the same request would be refused for before its model is asked. */
export async function countPromptTokens(
  app: App,
  caller: Caller,
  request: CallRequest,
  context: CountContext,
): Promise<number> {
  const { model } = await app.calls.models.resolve(caller, request.model, 'messages')
  checkAbilities(model, request)
  validateBreakpoints(promptBlocks(request), request.cache)
  const { tokens, refused } = await app.calls.counts.run(caller.workspace.id, () =>
    askEngines(app, caller, model, request, context),
  )
  // An estimate of a prompt that is too long to be counted could say that it fits.
  if (tokens === null && refused !== null) throw refusalOf(refused)
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
  const { tokens, refused } = await askEngines(app, caller, model, request, context)
  const { id, context_window: window } = model
  if (tokens === null) {
    if (refused !== null) throw refusalOf(refused)
    return Math.min(estimate(request), Math.max(0, window - answerTokensMin))
  }
  if (tokens < window) return tokens
  throw new Refusal(
    'context_length_exceeded',
    `The prompt is too long: it has ${tokens} tokens and exceeds the context window of ${id} (the model's maximum context limit), which has room for ${window - 1}; shorten the conversation.`,
    { param: 'messages' },
  )
}

function estimate(request: CallRequest): number {
  return Math.ceil(promptTokensMax(request) / bytesPerToken)
}

/** `refused` is what the last engine said that would not count such messages, where no other did. */
type Count = { tokens: number | null; refused: EngineError | null }

async function askEngines(
  app: App,
  caller: Caller,
  model: CatalogModel,
  request: CallRequest,
  context: CountContext,
): Promise<Count> {
  // No server is told an address that it may not fetch, and fetching it here is too much for a count.
  if (hasImagesToFetch(model, request)) return { tokens: null, refused: null }
  const { effort, thinkingBudgetTokens, maxTokens } = settleRequest(model, request)
  const ports = app.calls.answerPorts
  let refused: EngineError | null = null
  for (const route of model.routes) {
    // A server that is known to be away would keep every long call waiting for its count.
    if (ports.health.rests(routeKey(model, route), ports.monotonicMs())) continue
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
      const engine = ports.engineAt(route)
      const tokens = await engine.countPromptTokens(call, context.signal)
      if (tokens !== null) return { tokens, refused: null }
    } catch (error) {
      // A route that cannot count may still answer, or say better what is wrong.
      if (!(error instanceof EngineError)) throw error
      if (error.failure === 'refused' && error.param === 'messages') refused = error
    }
  }
  return { tokens: null, refused }
}
