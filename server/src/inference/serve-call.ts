// One model call from request to bill: resolve, hold, answer, then settle or void. The caller of this file
// writes the parts to its client and says how that went; nothing here knows a dialect or a socket.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import { pricesOf } from '../catalog/model-row.ts'
import { Refusal } from '../core/refusal.ts'
import type { CallRequest } from '../core/request.ts'
import type { StreamPart } from '../core/stream-part.ts'
import type { Usage } from '../core/usage.ts'
import { type EngineCall, EngineError } from '../engine/engine.ts'
import { crashPoint } from '../lib/crash-point.ts'
import { formatUsd } from '../lib/money.ts'
import { mostItCanCost, priceUsage } from '../wallet/price-usage.ts'
import { type Hold, InsufficientFunds } from '../wallet/wallets.ts'
import { promptTokensMax } from './prompt-tokens-max.ts'
import type { Recording } from './recorder.ts'

export type ServedCall = {
  model: string
  /** Names for the header that tells a client its parameters were changed. */
  adjusted: string[]
  recording: Recording
  /** The answer. A failure before the first part is a Refusal; after it, an EngineError. */
  parts: AsyncIterable<StreamPart>
  /** The final part was handed to the socket: the call is complete and is billed. */
  settle(): Promise<void>
  /** An error or a disconnect: the call costs nothing. Does nothing after `settle`. */
  void(): void
}

export type CallContext = {
  requestId: string
  clientRequestId: string
  startedAt: Date
  signal: AbortSignal
}

export async function serveCall(
  app: App,
  caller: Caller,
  request: CallRequest,
  context: CallContext,
): Promise<ServedCall> {
  const model = app.catalog.find(request.model)
  if (!model) {
    throw new Refusal(
      'model_not_found',
      `There is no model "${request.model}"; GET /v1/models lists them.`,
      {
        param: 'model',
      },
    )
  }
  const engineCall = (route: CatalogRoute): EngineCall => ({
    request,
    engineModel: route.model ?? model.id,
    effort: null,
    maxTokens,
    requestId: context.requestId,
    workspaceId: caller.workspace.id,
  })
  const ceiling = Math.min(model.max_output_tokens, model.context_window)
  const maxTokens = Math.min(request.maxTokens ?? ceiling, ceiling)
  const adjusted =
    request.maxTokens !== undefined && request.maxTokens > ceiling ? ['max_tokens'] : []

  const hold = await holdFunds(
    app,
    caller,
    context,
    mostItCanCost(promptTokensMax(request), maxTokens, model.routes.map(pricesOf)),
  )
  crashPoint('admitted')
  const recording = app.recorder.begin(caller, request, context)

  let state: 'open' | 'settled' | 'voided' = 'open'
  let finished: { usage: Usage; route: CatalogRoute } | null = null

  async function* parts(): AsyncGenerator<StreamPart> {
    for await (const { part, route } of answer(
      app,
      model as CatalogModel,
      engineCall,
      context.signal,
    )) {
      recording.take(part)
      if (part.type === 'finish') {
        finished = { usage: part.usage, route }
        crashPoint('usage-seen')
      }
      yield part
    }
  }

  return {
    model: model.id,
    adjusted,
    recording,
    parts: parts(),
    async settle() {
      if (state !== 'open' || !finished) return
      state = 'settled'
      recording.keep()
      const { usage, route } = finished
      countSettled(app, model.id, usage)
      await hold.post(priceUsage(usage, pricesOf(route)), {
        model: model.id,
        client_request_id: context.clientRequestId,
        usage,
        prices_usd_per_token: describePrices(route),
      })
    },
    void() {
      if (state !== 'open') return
      state = 'voided'
      hold.void()
      recording.void()
      app.metrics.calls.inc({ model: model.id, outcome: 'voided' })
    },
  }
}

async function holdFunds(
  app: App,
  caller: Caller,
  context: CallContext,
  amount: bigint,
): Promise<Hold> {
  try {
    return await app.wallets.hold({
      walletId: caller.org.id,
      workspaceId: caller.workspace.id,
      keyId: caller.key?.id ?? null,
      requestId: context.requestId,
      amount,
    })
  } catch (error) {
    if (!(error instanceof InsufficientFunds)) throw error
    throw new Refusal(
      'insufficient_balance',
      `The wallet does not cover the ${formatUsd(amount)} USD this call may cost at most; add funds or lower max_tokens.`,
    )
  }
}

/** Tries the routes, heaviest first, until one begins to answer; from then on it is that one or an error. */
async function* answer(
  app: App,
  model: CatalogModel,
  engineCall: (route: CatalogRoute) => EngineCall,
  signal: AbortSignal,
): AsyncGenerator<{ part: StreamPart; route: CatalogRoute }> {
  const routes = [...model.routes].sort((a, b) => b.weight - a.weight)
  let failure: EngineError | null = null
  for (const route of routes) {
    let begun = false
    try {
      crashPoint('sent')
      for await (const part of app.engines.at(route).call(engineCall(route), signal)) {
        begun = true
        yield { part, route }
      }
      return
    } catch (error) {
      if (!(error instanceof EngineError) || begun || signal.aborted) throw error
      if (error.failure === 'refused') throw new Refusal('invalid_value', error.message)
      failure = error
    }
  }
  throw new Refusal(
    'no_healthy_route',
    `No route to ${model.id} is healthy: ${failure?.message ?? ''}`,
    {
      retryAfterSeconds: 5,
      cause: failure,
    },
  )
}

function countSettled(app: App, model: string, usage: Usage): void {
  app.metrics.calls.inc({ model, outcome: 'posted' })
  app.metrics.tokens.inc({ model, kind: 'input' }, usage.inputTokens)
  app.metrics.tokens.inc({ model, kind: 'cache_read' }, usage.cacheReadTokens)
  app.metrics.tokens.inc({ model, kind: 'output' }, usage.outputTokens)
}

function describePrices(route: CatalogRoute): Record<string, string> {
  const prices = pricesOf(route)
  return Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, formatUsd(price)]))
}
