// One model call from request to bill: resolve, adjust, admit, hold, answer, then settle or void. The caller of this file
// writes the parts to its client and says how that went; nothing here knows a dialect or a socket.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import { pricesOf } from '../catalog/model-row.ts'
import { Refusal } from '../core/refusal.ts'
import type { CallRequest } from '../core/request.ts'
import type { StreamPart } from '../core/stream-part.ts'
import { noUsage, promptTokens as tokensOfPrompt, type Usage } from '../core/usage.ts'
import { type EngineCall, EngineError } from '../engine/engine.ts'
import { crashPoint } from '../lib/crash-point.ts'
import { formatUsd, type Picodollars } from '../lib/money.ts'
import { markPrompt } from '../prompt-cache/mark-prompt.ts'
import { type PriceCard, priceCard } from '../wallet/charge.ts'
import { mostItCanCost, type Prices, priceUsage } from '../wallet/price-usage.ts'
import { type Hold, InsufficientFunds } from '../wallet/wallets.ts'
import { answerCall, routeName } from './answer-call.ts'
import { conversationOf } from './conversation-of.ts'
import { countIfTight } from './count-prompt-tokens.ts'
import { fetchImages } from './fetch-images.ts'
import { findModel } from './find-model.ts'
import { promptTokensMax } from './prompt-tokens-max.ts'
import type { Recording, RecordingWish } from './recorder.ts'
import { settleRequest } from './settle-request.ts'

export type ServedCall = {
  model: string
  /** Limits, adjustments and cache markers, for the head of the answer. */
  headers: Record<string, string>
  recording: Recording
  /** The answer, in groups that came together. A failure before the first is a Refusal; after it, an EngineError. */
  parts: AsyncIterable<readonly StreamPart[]>
  /** The final part was handed to the socket: the call is complete and is billed. */
  settle(): Promise<void>
  /** An error or a disconnect: the call costs nothing. Does nothing after `settle`. */
  void(): void
}

export type CallContext = {
  requestId: string
  clientRequestId: string
  startedAt: Date
  /** The client gets the answer at its end. */
  whole: boolean
  signal: AbortSignal
  wish: RecordingWish
}

export async function serveCall(
  app: App,
  caller: Caller,
  request: CallRequest,
  context: CallContext,
): Promise<ServedCall> {
  const model = findModel(app, request.model)
  const promptTokens = await countIfTight(app, caller, model, request, context)
  const settled = settleRequest(model, request, promptTokens)
  const workspaceId = caller.workspace.id
  const startedMs = app.clock.monotonicMs()
  const plan = await app.promptCache.plan({
    request,
    model: model.id,
    workspaceId,
    caching: model.prompt_caching,
    effort: settled.effort,
    startedAt: context.startedAt,
  })
  const promptMax = Math.min(promptTokensMax(request), model.context_window)
  app.abortGuard.check(workspaceId)
  const admission = await app.limits.admit(
    workspaceId,
    Math.ceil(promptMax / 4) + settled.maxTokens,
  )
  let hold: Hold
  try {
    const most = mostItCanCost(
      promptMax,
      settled.maxTokens,
      model.routes.map((one) => ratesOf(one).prices),
    )
    hold = await holdFunds(app, caller, context, most)
  } catch (error) {
    admission.done(0)
    throw error
  }
  crashPoint('admitted')
  const begun = app.recorder.begin(caller, request, {
    model: model.id,
    startedAt: context.startedAt,
    wish: context.wish,
  })
  // What to record is nearly always remembered, and then costs no turn of the loop.
  const recording = begun instanceof Promise ? await begun : begun

  let state: 'open' | 'settled' | 'voided' = 'open'
  let finished: { usage: Usage; route: CatalogRoute } | null = null
  let route: CatalogRoute | null = null
  let firstMs: number | null = null

  async function* parts(): AsyncGenerator<readonly StreamPart[]> {
    const asked = await fetchImages(model, markPrompt(request, plan.breakpoints), {
      allow: app.catalog.imageHosts,
      signal: context.signal,
    })
    const engineCall = (on: CatalogRoute): EngineCall => ({
      request: asked,
      engineModel: on.model ?? model.id,
      effort: settled.effort,
      canThink: model.reasoning !== undefined,
      thinkingBudgetTokens: settled.thinkingBudgetTokens,
      maxTokens: settled.maxTokens,
      whole: context.whole,
      requestId: context.requestId,
      workspaceId,
    })
    for await (const routed of answerCall(
      app.answerPorts,
      model,
      () => conversationOf(request, workspaceId),
      engineCall,
      context.signal,
    )) {
      route = routed.route
      if (firstMs === null) plan.responseStarted()
      const taken: StreamPart[] = []
      try {
        for (const part of routed.parts) taken.push(take(part, route))
      } catch (error) {
        // What came before it is still the client's.
        if (taken.length > 0) yield taken
        throw error
      }
      const turn = finished ? hold.mayDeliver() : undefined
      if (turn) await turn
      yield taken
    }
  }

  function take(told: StreamPart, from: CatalogRoute): StreamPart {
    if (told.type !== 'prompt') firstMs ??= app.clock.monotonicMs()
    const part = billed(told)
    recording.take(part)
    if (part.type === 'finish') {
      finished = { usage: part.usage, route: from }
      crashPoint('usage-seen')
    }
    return part
  }

  /** The counts a client sees are the ones it pays for. */
  function billed(part: StreamPart): StreamPart {
    if (part.type !== 'finish' && part.type !== 'prompt') return part
    refuseImpossible(part.usage, model)
    const usage = withinCeiling(part.usage, settled.maxTokens)
    return { ...part, usage: plan.split(usage, { cacheReport: part.cacheReport }) }
  }

  function close(
    outcome: 'completed' | 'aborted' | 'failed',
    usage: Usage,
    cost: Picodollars,
  ): void {
    admission.done(tokensOfPrompt(usage) + usage.outputTokens)
    app.metrics.calls.add(model.id, outcome)
    app.usage.record({
      requestId: context.requestId,
      orgId: caller.org.id,
      workspaceId,
      keyId: caller.key?.id ?? null,
      model: model.id,
      route: route ? routeName(model, route) : '',
      outcome,
      usage,
      cost,
      latencyMs: Math.round(app.clock.monotonicMs() - startedMs),
      firstTokenMs: firstMs === null ? null : Math.round(firstMs - startedMs),
      at: context.startedAt,
    })
  }

  return {
    model: model.id,
    headers: {
      ...admission.headers,
      ...(settled.adjusted.length > 0
        ? { 'x-service-params-adjusted': settled.adjusted.join(', ') }
        : {}),
      ...(plan.marker === null ? {} : { 'x-service-cache-marker': plan.marker }),
      ...(recording.sampleId === null ? {} : { 'x-loop-sample-id': recording.sampleId }),
    },
    recording,
    parts: parts(),
    async settle() {
      if (state !== 'open' || !finished) return
      state = 'settled'
      recording.keep()
      const { prices, card } = ratesOf(finished.route)
      const cost = priceUsage(finished.usage, prices)
      app.abortGuard.completed(workspaceId)
      countTokens(app, model.id, finished.usage)
      close('completed', finished.usage, cost)
      await hold.post(cost, {
        call: {
          model: model.id,
          clientRequestId: context.clientRequestId,
          usage: finished.usage,
          card,
        },
      })
    },
    void() {
      if (state !== 'open') return
      state = 'voided'
      hold.void()
      recording.void()
      plan.abandoned()
      const aborted = context.signal.aborted
      if (aborted && firstMs !== null) app.abortGuard.aborted(workspaceId)
      close(aborted ? 'aborted' : 'failed', noUsage, 0n)
    },
  }
}

type Rates = { prices: Prices; card: PriceCard }
const ratesByRoute = new WeakMap<CatalogRoute, Rates>()

/** A route's prices, and the card of them for the ledger; worked out once for each route of a catalog. */
function ratesOf(route: CatalogRoute): Rates {
  const known = ratesByRoute.get(route)
  if (known) return known
  const prices = pricesOf(route)
  const shown = Object.entries(prices).map(([name, price]) => [name, formatUsd(price)])
  const card = priceCard(Object.fromEntries(shown) as Record<string, string>)
  const rates = { prices, card }
  ratesByRoute.set(route, rates)
  return rates
}

/** A count that does not fit the model's window is a mistake of the engine; it becomes no bill and takes no quota. */
function refuseImpossible(usage: Usage, model: CatalogModel): void {
  if (Math.max(tokensOfPrompt(usage), usage.outputTokens) <= model.context_window) return
  throw new EngineError('broken', 'The model server reported a token count that makes no sense.')
}

/** No more than was asked for can have been generated, and no more than was held can be charged. */
function withinCeiling(usage: Usage, maxTokens: number): Usage {
  if (usage.outputTokens <= maxTokens) return usage
  return {
    ...usage,
    outputTokens: maxTokens,
    thinkingTokens: Math.min(usage.thinkingTokens, maxTokens),
  }
}

async function holdFunds(
  app: App,
  caller: Caller,
  context: CallContext,
  amount: Picodollars,
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

function countTokens(app: App, model: string, usage: Usage): void {
  const { tokens } = app.metrics
  tokens.add(model, 'input', usage.inputTokens)
  tokens.add(model, 'cache_read', usage.cacheReadTokens)
  tokens.add(model, 'cache_write', usage.cacheWrite5mTokens + usage.cacheWrite1hTokens)
  tokens.add(model, 'output', usage.outputTokens)
}
