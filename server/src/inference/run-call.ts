// One model call from its request to its bill: begins it, hands its answer to a sink, and settles or voids it. Nothing here knows a
// dialect or a socket, and nothing else settles.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CallRequest } from '../core/request.ts'
import type { StreamPart } from '../core/stream-part.ts'
import type { Usage } from '../core/usage.ts'
import { EngineError } from '../engine/engine.ts'
import { crashPoint } from '../lib/crash-point.ts'
import { newId } from '../lib/id.ts'
import type { Picodollars } from '../lib/money.ts'
import type { AnswerSink } from './answer.ts'
import { beginCall } from './begin-call.ts'
import type { Billing } from './billing.ts'
import { CollectedBilling } from './collected-billing.ts'
import type { OpenCall } from './open-call.ts'

export type Call = {
  caller: Caller
  request: CallRequest
  /** The one in which it was asked: not every model speaks both. */
  dialect: 'chat' | 'messages'
  /** The sink hands the answer on at its end, so that an engine may be asked for all of it at once. */
  whole: boolean
  /** Whose call it is: a member's, or Hone's own. */
  billing: Billing
  /** Aborted when the caller has left, and when Hone stops. */
  abort: AbortController
}

export async function runCall(app: App, call: Call, sink: AnswerSink): Promise<void> {
  const { abort, ...asked } = call
  const startedAt = app.clock.now()
  const requestId = newId(startedAt)
  let open: OpenCall | null = null
  app.calls.underWay.add(abort)
  try {
    open = await beginCall(app, { ...asked, signal: abort.signal, requestId, startedAt })
    const delivered = await sink(open)
    crashPoint('last-byte')
    if (delivered) open.settle()
  } finally {
    // Does nothing after it was settled.
    open?.void()
    app.calls.underWay.delete(abort)
  }
}

export type PlatformCall = Pick<Call, 'caller' | 'request' | 'abort'>

export type PlatformAnswer = { parts: StreamPart[]; usage: Usage; cost: Picodollars }

/** A call that Hone makes itself, on the terms of `CollectedBilling`: its cost is returned, to be charged elsewhere. */
export async function runPlatformCall(app: App, call: PlatformCall): Promise<PlatformAnswer> {
  const billing = new CollectedBilling()
  const parts: StreamPart[] = []
  await runCall(app, { ...call, dialect: 'chat', whole: true, billing }, async (answer) => {
    for (let group = await answer.next(); group !== null; group = await answer.next()) {
      parts.push(...group)
    }
    if (parts.at(-1)?.type === 'finish') return true
    throw new EngineError('broken', 'The model stopped in the middle of its answer.')
  })
  return { parts, usage: billing.usage, cost: billing.cost }
}
