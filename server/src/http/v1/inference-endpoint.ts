// The two inference endpoints: one flow, two dialects. They stand ahead of the framework, on the bare request, because
// everything a call costs beyond its model is spent here.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { inferenceBodyBytesMax, shortTextCharactersMax } from '#contract/limits.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import type { CallRequest } from '../../core/request.ts'
import { readObject } from '../../dialect/read-fields.ts'
import { runCall } from '../../inference/run-call.ts'
import { WalletBilling } from '../../inference/wallet-billing.ts'
import { grouped } from '../../lib/grouped.ts'
import { TickBatch } from '../../lib/tick-batch.ts'
import { isLoopName, refuseLoopName } from '../../loop/pipeline/loop-name.ts'
import { storableId } from '../../loop/sample/storable-name.ts'
import type { BodyReader } from '../intake/read-body.ts'
import { holdBody, isComing, letBody } from '../intake/unread-body.ts'
import { logAnswer, loggedStatus, logIgnored } from '../log-requests.ts'
import { requestIdOf } from '../request-id.ts'
import { sendRefusal } from '../send-refusal.ts'
import { asRefusal } from '../surface.ts'
import { deliverStream, deliverWhole } from './deliver.ts'
import { chatDialect, type Dialect, messagesDialect } from './dialect.ts'
import { identifyInference } from './identify-inference.ts'
import { recordingWish } from './recording-wish.ts'
import type { StallWatch } from './stall-watch.ts'

/** Requests that arrived in the same tick continue together. */
const arrived = new TickBatch()

export type Endpoint = (request: IncomingMessage, response: ServerResponse) => void

/** By path; each takes a POST. */
export function inferenceEndpoints(
  app: App,
  bodies: BodyReader,
  stalls: StallWatch,
): ReadonlyMap<string, Endpoint> {
  const endpoint = (path: string, dialect: Dialect): [string, Endpoint] => [
    path,
    (request, response) => void serve({ app, bodies, stalls, path, dialect }, request, response),
  ]
  return new Map([
    endpoint('/v1/chat/completions', chatDialect),
    endpoint('/v1/messages', messagesDialect),
  ])
}

type Serving = {
  app: App
  bodies: BodyReader
  stalls: StallWatch
  path: string
  dialect: Dialect
}

async function serve(at: Serving, request: IncomingMessage, response: ServerResponse) {
  const { app, path } = at
  const startedMs = app.clock.monotonicMs()
  const id = requestIdOf(request.headers['x-request-id'], app.clock.now())
  const leave = new AbortController()
  let caller: Caller | null = null
  response.once('close', () => {
    // An answer that went out whole closes too, and that is no disconnect.
    if (!response.writableFinished) leave.abort()
    const ms = app.clock.monotonicMs() - startedMs
    logAnswer(app, { id, method: 'POST', route: path, status: loggedStatus(response), ms, caller })
  })
  if (app.closing) response.setHeader('connection', 'close')
  try {
    holdBody(request)
    await arrived.nextBatch()
    caller = await identifyInference(app, request.headers)
    const early = isComing(request)
    letBody(request, response, inferenceBodyBytesMax)
    const text = await at.bodies.read(request, response, caller.workspace.id)
    // A body may be hours on its way, and its key be revoked meanwhile.
    if (early) caller = await identifyInference(app, request.headers)
    await answer(at, { id, caller, text, headers: request.headers, leave }, response)
  } catch (error) {
    refuse(at, error, id, request, response)
  }
}

type Asked = {
  id: string
  caller: Caller
  text: string
  headers: IncomingHttpHeaders
  leave: AbortController
}

async function answer({ app, stalls, dialect }: Serving, asked: Asked, response: ServerResponse) {
  const { id, caller, headers, leave } = asked
  const call = dialect.parse(readObject(asked.text), {
    text: asked.text,
    workspaceId: caller.workspace.id,
    thinkingKey: app.thinkingKey,
    headers,
  })
  logIgnored(app, id, call.ignored)
  if (isLoopName(call.request.model)) {
    await refuseLoopName(app, caller, call.request.model, dialect.name)
  }
  // A client that left is told nothing, and it is nobody's fault.
  const broke = (error: unknown): void => {
    if (!leave.signal.aborted) logFailure(app, asRefusal(error, dialect.name), error, id)
  }
  const reply = { id, response, stalls, broke }
  const request = inSession(call.request, headers)
  const recording = recordingWish(headers, id)
  const billing = new WalletBilling({ clientRequestId: storableId(id), recording })
  try {
    await runCall(app, { caller, request, whole: !call.stream, billing, abort: leave }, (served) =>
      call.stream
        ? deliverStream(dialect, call.streamed(served), served, reply)
        : deliverWhole(call.whole(served), served, reply),
    )
  } catch (error) {
    if (!leave.signal.aborted || !response.destroyed) throw error
  }
}

function refuse(
  { app, dialect }: Serving,
  error: unknown,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const refusal = asRefusal(error, dialect.name)
  logFailure(app, refusal, error, id)
  if (response.headersSent) return void response.destroy()
  sendRefusal(refusal, { surface: dialect.name, id }, request, response)
}

function logFailure(app: App, refusal: Refusal, error: unknown, id: string): void {
  if (refusal.status < 500) return
  app.log.error({ request_id: id, err: refusal.detail.cause ?? error }, refusal.message)
}

/** A conversation may also be named in a header (spec 1, conversation routing). */
function inSession(call: CallRequest, headers: IncomingHttpHeaders): CallRequest {
  const session = headers['x-session-id']
  if (call.conversation !== null || typeof session !== 'string' || session === '') return call
  if (session.length > shortTextCharactersMax) {
    throw new Refusal(
      'invalid_value',
      `The header x-session-id must have at most ${grouped(shortTextCharactersMax)} characters.`,
      { param: 'x-session-id' },
    )
  }
  return { ...call, conversation: session }
}
