// A call between its hold and its bill: hands out the answer as it comes, then settles or voids. A class and not a
// function with functions inside, because a generator made anew for every call costs the engine a hidden class each time,
// which keeps what the call had in memory until the next full collection.
import type { App } from '../app.ts'
import type { CatalogRoute } from '../catalog/catalog-file.ts'
import type { CallRequest } from '../core/request.ts'
import { Refusal } from '../core/refusal.ts'
import type { StopReason } from '../core/stop-reason.ts'
import type { StreamPart } from '../core/stream-part.ts'
import { noUsage, promptTokens as tokensOfPrompt, type Usage } from '../core/usage.ts'
import { type EngineCall, EngineError } from '../engine/engine.ts'
import { crashPoint } from '../lib/crash-point.ts'
import type { CachePlan } from '../prompt-cache/cache-plan.ts'
import { markPrompt } from '../prompt-cache/mark-prompt.ts'
import { priceUsage } from '../wallet/price-usage.ts'
import type { Answer } from './answer.ts'
import { answerCall, type RoutedParts, routeName } from './answer-call.ts'
import type { CallContext } from './call-context.ts'
import type { Bill, SeenCall } from './billing.ts'
import { conversationOf } from './conversation-of.ts'
import { fetchImages, hasImagesToFetch } from './fetch-images.ts'
import type { Away, ResolvedModel } from './model-resolver.ts'
import { noRetry } from './no-retry.ts'
import { ratesOf } from './rates.ts'
import type { SettledRequest } from './settle-request.ts'

/** What was decided and taken for a call before its engine is asked. */
export type CallTerms = {
  app: App
  context: CallContext
  resolved: ResolvedModel
  settled: SettledRequest
  startedMs: number
  /** No tokenizer makes more tokens of the prompt. */
  promptMost: number
  plan: CachePlan
  bill: Bill
}

export class OpenCall implements Answer {
  readonly #terms: CallTerms
  #state: 'open' | 'settled' | 'voided' = 'open'
  #answer: AsyncGenerator<RoutedParts, void> | null = null
  #route: CatalogRoute | null = null
  #firstMs: number | null = null
  #readCharacters = 0
  /** Characters of thoughts that nobody is handed. */
  #unaskedThoughts = 0
  #finished: { usage: Usage; route: CatalogRoute } | null = null
  #failure: Error | null = null
  /** What the engine that is asked could not do as settled. */
  #adjusted: string[] = []

  constructor(terms: CallTerms) {
    this.#terms = terms
  }

  get model(): string {
    return this.#terms.resolved.model.id
  }

  get requestId(): string {
    return this.#terms.context.requestId
  }

  get startedAt(): Date {
    return this.#terms.context.startedAt
  }

  headers(): string[] {
    const { bill, settled, plan } = this.#terms
    const list: string[] = []
    for (const name in bill.headers) list.push(name, bill.headers[name]!)
    if (settled.adjusted.length > 0 || this.#adjusted.length > 0) {
      const names = new Set([...settled.adjusted, ...this.#adjusted])
      list.push('x-service-params-adjusted', [...names].join(', '))
    }
    if (plan.marker !== null) list.push('x-service-cache-marker', plan.marker)
    const { sampleId } = bill.recording
    if (sampleId !== null) list.push('x-loop-sample-id', sampleId)
    return list
  }

  async next(): Promise<readonly StreamPart[] | null> {
    if (this.#failure !== null) throw this.#failure
    if (this.#answer === null) {
      const { app, context, resolved, plan } = this.#terms
      const { model, away } = resolved
      if (away) throw notServing(away)
      const prompt = markPrompt(context.request, plan.breakpoints)
      const hosting = { allow: app.catalog.imageHosts, signal: context.signal }
      const fetches = hasImagesToFetch(model, prompt)
      this.#answer = this.#ask(fetches ? await fetchImages(model, prompt, hosting) : prompt)
    }
    const step = await this.#answer.next()
    if (step.done) return null
    this.#route = step.value.route
    const taken = this.#takeAll(step.value)
    const turn = this.#finished ? this.#terms.bill.mayDeliver() : undefined
    if (turn) await turn
    return taken
  }

  /** The final part was handed over: the call is complete and is billed. */
  settle(): void {
    if (this.#state !== 'open' || !this.#finished) return
    this.#state = 'settled'
    this.#leave()
    const { app, resolved, bill } = this.#terms
    const { usage, route } = this.#finished
    const { prices, card } = ratesOf(route)
    const cost = priceUsage(usage, prices)
    countTokens(app, resolved.slug, usage)
    app.metrics.calls.add(resolved.slug, 'completed')
    bill.settle({ usage, cost, card, seen: this.#seen(), worth: this.#roughPrice() })
  }

  /** An error or a disconnect: the call costs nothing. Does nothing after `settle`. */
  void(): void {
    if (this.#state !== 'open') return
    this.#state = 'voided'
    this.#leave()
    const { app, context, resolved, plan, bill } = this.#terms
    plan.abandoned()
    const { aborted } = context.signal
    const outcome = aborted ? 'aborted' : 'failed'
    app.metrics.calls.add(resolved.slug, outcome)
    const worth = aborted && this.#hasBeenRead() ? this.#roughPrice() : null
    bill.void({ outcome, seen: this.#seen(), worth })
  }

  /** Whether a client that left may have taken something with it: of an answer that goes out whole, nothing before its end. */
  #hasBeenRead(): boolean {
    return this.#terms.context.whole ? this.#finished !== null : this.#firstMs !== null
  }

  /**
   * Of what was read, in pico-dollars. Nobody has counted the tokens of an answer that has no end, nor always those of its
   * prompt; calls are compared by it, so those with an end are measured alike. What is cached counts as that: else a call
   * would make up for one that was hung up on to fill the cache for nothing.
   */
  #roughPrice(): number {
    if (!this.#route) return 0
    const { promptMost, plan } = this.#terms
    const { input, cacheRead, output } = ratesOf(this.#route).prices
    const share = plan.readShare()
    const perToken = share * Number(cacheRead) + (1 - share) * Number(input)
    return roughTokens(promptMost) * perToken + roughTokens(this.#readCharacters) * Number(output)
  }

  #ask(asked: CallRequest): AsyncGenerator<RoutedParts, void> {
    const { app, context, resolved, settled, plan } = this.#terms
    const { model } = resolved
    const { caller, request, billing } = context
    const workspaceId = billing.queueOf(caller)
    const engineCall = (on: CatalogRoute): EngineCall => ({
      request: asked,
      engineModel: on.model ?? model.id,
      effort: settled.effort,
      canThink: model.reasoning !== undefined,
      mustThink: model.reasoning?.required ?? false,
      thinkingBudgetTokens: settled.thinkingBudgetTokens,
      maxTokens: settled.maxTokens,
      whole: context.whole,
      countBlocks: plan.breakpoints.length > 0,
      requestId: context.requestId,
      workspaceId,
      adjusted: (this.#adjusted = []),
    })
    const conversation = (): string => conversationOf(request, caller.workspace.id)
    const { whole, signal } = context
    const heard = (parts: readonly StreamPart[]): void => this.#hear(parts)
    const wish = { workspaceId, whole, signal, heard }
    return answerCall(app.calls.answerPorts, model, conversation, engineCall, wish)
  }

  #hear(parts: readonly StreamPart[]): void {
    const last = parts.at(-1)
    const { whole } = this.#terms.context
    // Nobody has been given any of an answer that goes out whole, so that another route may still be asked.
    if (whole && last?.type === 'finish' && !isPossible(last.usage, this.#terms)) {
      throw impossibleCount()
    }
    if (this.#firstMs !== null) return
    this.#terms.plan.responseStarted()
    const answers = parts.some((part) => part.type !== 'prompt')
    if (answers) this.#firstMs = this.#terms.app.clock.monotonicMs()
  }

  /** Whoever reads stops at the end or in the middle; the engine is told either way. */
  #leave(): void {
    // It fails only with what the reader has been told already.
    this.#answer?.return().catch(() => {})
  }

  #takeAll({ parts, route }: RoutedParts): StreamPart[] {
    const taken: StreamPart[] = []
    try {
      for (const part of parts) {
        if (this.#isAskedFor(part)) taken.push(this.#take(part, route))
        else if (part.type === 'thinking-delta') this.#unaskedThoughts += part.text.length
      }
    } catch (error) {
      // What came before it is still the client's.
      if (taken.length === 0) throw error
      this.#failure = error as Error
    }
    return taken
  }

  /** A model server need not keep to one call a turn, or to none, or to not thinking (spec 1, tools; reasoning rule 9). */
  #isAskedFor(part: StreamPart): boolean {
    const { parallelToolCalls, toolChoice } = this.#terms.context.request
    switch (part.type) {
      case 'thinking-delta':
      case 'thinking-proof':
        return !this.#isThinkingOff()
      case 'tool-call-start':
      case 'tool-call-delta':
      case 'tool-call-end':
        return toolChoice.kind !== 'none' && (parallelToolCalls || part.index === 0)
      default:
        return true
    }
  }

  #isThinkingOff(): boolean {
    const { resolved, settled } = this.#terms
    return resolved.model.reasoning !== undefined && settled.effort === null
  }

  #take(told: StreamPart, route: CatalogRoute): StreamPart {
    const part = this.#billed(told)
    this.#terms.bill.recording.take(part)
    this.#readCharacters += charactersIn(part)
    if (part.type === 'finish') {
      this.#finished = { usage: part.usage, route }
      crashPoint('usage-seen')
    }
    return part
  }

  /** The counts a client sees are the ones it pays for. */
  #billed(part: StreamPart): StreamPart {
    if (part.type !== 'finish' && part.type !== 'prompt') return part
    const { context, settled, plan } = this.#terms
    if (!isPossible(part.usage, this.#terms)) {
      if (part.type === 'finish') throw impossibleCount()
      // Only the end is billed, and it may be right.
      return { ...part, usage: noUsage }
    }
    const counted = withinCeiling(part.usage, settled.maxTokens)
    const usage = plan.split(this.#isThinkingOff() ? this.#withoutThoughts(counted) : counted, part)
    if (part.type === 'finish' && context.request.toolChoice.kind === 'none') {
      return { ...part, usage, reason: withoutCalls(part.reason) }
    }
    return { ...part, usage }
  }

  /**
   * A server that thinks where it was told not to does so at nobody's cost (spec 1, reasoning rule 9). One that does not count its
   * thoughts has written them like its words.
   */
  #withoutThoughts(usage: Usage): Usage {
    const { outputTokens, thinkingTokens } = usage
    if (thinkingTokens > 0) {
      return { ...usage, outputTokens: outputTokens - thinkingTokens, thinkingTokens: 0 }
    }
    if (this.#unaskedThoughts === 0) return usage
    const share = this.#readCharacters / (this.#readCharacters + this.#unaskedThoughts)
    return { ...usage, outputTokens: Math.floor(outputTokens * share) }
  }

  /** The call as far as it has come. */
  #seen(): SeenCall {
    const { app, startedMs } = this.#terms
    const { model } = this.#terms.resolved
    return {
      model: model.id,
      route: this.#route ? routeName(model, this.#route) : '',
      latencyMs: Math.round(app.clock.monotonicMs() - startedMs),
      firstTokenMs: this.#firstMs === null ? null : Math.round(this.#firstMs - startedMs),
    }
  }
}

/**
 * A count that fits neither the model's window nor the prompt is a mistake of the engine; it becomes no bill and takes no quota. A
 * server may have a larger window than the catalog says, and answer what nobody could count before.
 */
function isPossible(usage: Usage, { resolved, promptMost }: CallTerms): boolean {
  const { context_window: window } = resolved.model
  return tokensOfPrompt(usage) <= Math.max(window, promptMost) && usage.outputTokens <= window
}

function notServing({ sentence, retryAfterSeconds, healsByItself }: Away): Refusal {
  const headers = healsByItself ? {} : { headers: noRetry }
  return new Refusal('no_healthy_route', sentence, { retryAfterSeconds, ...headers })
}

const charactersPerToken = 4

function roughTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

function charactersIn(part: StreamPart): number {
  switch (part.type) {
    case 'text-delta':
    case 'thinking-delta':
      return part.text.length
    case 'tool-call-delta':
      return part.json.length
    default:
      return 0
  }
}

function impossibleCount(): EngineError {
  return new EngineError('broken', 'The model server reported an invalid token count.')
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

/** None of its calls was handed out, so that nobody is to answer them. */
function withoutCalls(reason: StopReason): StopReason {
  return reason.kind === 'tool-calls' ? { kind: 'end' } : reason
}

function countTokens(app: App, model: string, usage: Usage): void {
  const { tokens } = app.metrics
  tokens.add(model, 'input', usage.inputTokens)
  tokens.add(model, 'cache_read', usage.cacheReadTokens)
  tokens.add(model, 'cache_write', usage.cacheWrite5mTokens + usage.cacheWrite1hTokens)
  tokens.add(model, 'output', usage.outputTokens)
}
