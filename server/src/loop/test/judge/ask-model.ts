// Asks a model for one answer on the scoring key, and once more after a failure that may pass. Nothing is recorded, held or charged; what
// it cost is returned. A call that ends because it was aborted or because Hone stops throws, so that it is never taken for the model's
// failure.
import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from '../../../account/caller.ts'
import type { App } from '../../../app.ts'
import type { Block } from '../../../core/block.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { CallRequest } from '../../../core/request.ts'
import type { StreamPart } from '../../../core/stream-part.ts'
import { countTight } from '../../../inference/count-prompt-tokens.ts'
import { promptTokensMax } from '../../../inference/prompt-tokens-max.ts'
import { runPlatformCall } from '../../../inference/run-call.ts'
import { newId } from '../../../lib/id.ts'
import type { Picodollars } from '../../../lib/money.ts'
import { AnswerCollector } from '../../../samples/capture/answer-collector.ts'
import { answerText } from './answer-text.ts'
import { modelFailure, type ModelFailure } from './model-failure.ts'
import { questionTokensMax } from './test-request.ts'

export type ModelQuestion = {
  caller: Caller
  request: CallRequest
  /** Aborted when the answer is not wanted any more. */
  signal: AbortSignal
}

export type ModelReply =
  | { blocks: Block[]; cost: Picodollars }
  | (Pick<ModelFailure, 'failed' | 'why' | 'away'> & { cost: Picodollars })

/** The answer to a sample's question. One without words or calls is none, and a question that is too long is not asked. */
export async function askModel(app: App, asked: ModelQuestion): Promise<ModelReply> {
  const reply = await callModel(app, asked, questionTokensMax)
  if ('failed' in reply || answerText(reply.blocks) !== '') return reply
  const why = 'The answer of the model is empty.'
  return { failed: 'no_answer', why, away: false, cost: reply.cost }
}

/** Whatever the model replies, nothing included. */
export async function callModel(
  app: App,
  { caller, request, signal }: ModelQuestion,
  tokensMax: number | null = null,
): Promise<ModelReply> {
  signal.throwIfAborted()
  const abort = new AbortController()
  const leave = (): void => abort.abort(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  const once = async (): Promise<Exclude<ModelReply, { failed: unknown }> | ModelFailure> => {
    if (app.operations.closing) throw new Refusal('unavailable', 'Hone is being stopped.')
    try {
      if (tokensMax !== null)
        await requireShort(app, { caller, request, signal: abort.signal }, tokensMax)
      const { parts, cost } = await runPlatformCall(app, { caller, request, abort })
      return { blocks: blocksOf(parts), cost }
    } catch (error) {
      const failure = abort.signal.aborted || app.operations.closing ? null : modelFailure(error)
      if (failure === null) throw error
      return failure
    }
  }
  try {
    let reply = await once()
    if ('failed' in reply && reply.pauseMs !== null) {
      await pause(app, abort, reply.pauseMs)
      reply = await once()
    }
    // A call that failed costs nothing.
    if (!('failed' in reply)) return reply
    const { failed, why, away } = reply
    return { failed, why, away, cost: 0n }
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** Counts the question where its bytes do not rule out that it is too long. */
async function requireShort(app: App, asked: ModelQuestion, tokensMax: number): Promise<void> {
  const { caller, request, signal } = asked
  if (promptTokensMax(request) <= tokensMax) return
  const { model, away } = await app.calls.models.resolve(caller, request.model, 'chat')
  // A model that does not serve counts nothing either, and its call says why.
  if (away !== null) return
  const context = { requestId: newId(app.clock.now()), signal }
  const tokens = await countTight(app, caller, model, request, context)
  if (tokens <= tokensMax) return
  throw new Refusal(
    'context_length_exceeded',
    `The question has ${tokens} tokens; tests ask questions of up to ${tokensMax}.`,
  )
}

/** Among the calls, so that it ends with them when Hone stops. */
async function pause(app: App, abort: AbortController, ms: number): Promise<void> {
  app.calls.underWay.add(abort)
  try {
    await delay(ms, undefined, { signal: abort.signal })
  } finally {
    app.calls.underWay.delete(abort)
  }
}

function blocksOf(parts: readonly StreamPart[]): Block[] {
  const collector = new AnswerCollector()
  for (const part of parts) collector.take(part)
  return collector.blocks()
}
