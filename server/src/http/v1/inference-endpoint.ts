// The two inference endpoints: one flow, two dialects. They stand ahead of the framework, on the bare request, because
// everything a call costs beyond its model is spent here.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { inferenceBodyBytesMax, shortTextCharactersMax } from '#contract/limits.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import type { CallRequest } from '../../core/request.ts'
import { readObject } from '../../dialect/read-fields.ts'
import type { OpenCall } from '../../inference/open-call.ts'
import { serveCall } from '../../inference/serve-call.ts'
import { CallSignal } from '../../lib/call-signal.ts'
import { crashPoint } from '../../lib/crash-point.ts'
import { grouped } from '../../lib/grouped.ts'
import { newId } from '../../lib/id.ts'
import { Step } from '../../lib/step.ts'
import { isLoopName, refuseLoopName } from '../../loop/pipeline/loop-name.ts'
import { storableId } from '../../loop/sample/storable-name.ts'
import type { BodyReader } from '../intake/read-body.ts'
import { holdBody, isComing, letBody } from '../intake/unread-body.ts'
import { logAnswer, loggedStatus, logIgnored } from '../log-requests.ts'
import { requestIdOf } from '../request-id.ts'
import { sendRefusal } from '../send-refusal.ts'
import { asRefusal } from '../surface.ts'
import { deliverStream, deliverWhole } from './deliver.ts'
import { type AnswerHead, chatDialect, type Dialect, messagesDialect } from './dialect.ts'
import { identifyInference } from './identify-inference.ts'
import { recordingWish } from './recording-wish.ts'
import { serverWordsIn } from './server-words.ts'
import type { StallWatch } from './stall-watch.ts'

/** Where calls wait for those that came in the same turn. */
const arrived = new Step()

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
  const leave = new CallSignal()
  let caller: Caller | null = null
  let serverWords: string | undefined
  response.once('close', () => {
    // An answer that went out whole closes too, and that is no disconnect.
    if (!response.writableFinished) leave.abort()
    const ms = app.clock.monotonicMs() - startedMs
    const status = loggedStatus(response)
    logAnswer(app, { id, method: 'POST', route: path, status, ms, caller, serverWords })
  })
  if (app.closing) response.setHeader('connection', 'close')
  try {
    holdBody(request)
    await arrived.together()
    caller = await identifyInference(app, request.headers)
    const early = isComing(request)
    letBody(request, response, inferenceBodyBytesMax)
    const text = await at.bodies.read(request, response, caller.workspace.id)
    // A body may be hours on its way, and its key be revoked meanwhile.
    if (early) caller = await identifyInference(app, request.headers)
    await answer(at, { id, caller, text, headers: request.headers, leave }, response)
  } catch (error) {
    serverWords = await serverWordsIn(app, error)
    refuse(at, error, id, request, response)
  }
}

type Asked = {
  id: string
  caller: Caller
  text: string
  headers: IncomingHttpHeaders
  leave: CallSignal
}

async function answer({ app, stalls, dialect }: Serving, asked: Asked, response: ServerResponse) {
  const { id, caller, headers, leave } = asked
  const call = dialect.parse(readObject(asked.text), {
    text: asked.text,
    workspaceId: caller.workspace.id,
    thinkingKey: app.thinkingKey,
    headers,
  })
  // Others who are at this step are read first, and then all go on.
  await Promise.resolve()
  logIgnored(app, id, call.ignored)
  if (isLoopName(call.request.model)) {
    await refuseLoopName(app, caller, call.request.model, dialect.name)
  }
  const startedAt = app.clock.now()
  const requestId = newId(startedAt)
  app.calls.add(leave)
  const wish = recordingWish(headers, id)
  let served: OpenCall | null = null
  try {
    served = await serveCall(app, caller, inSession(call.request, headers), {
      requestId,
      clientRequestId: storableId(id),
      startedAt,
      whole: !call.stream,
      signal: leave,
      wish,
    })
    const head: AnswerHead = { requestId, model: served.model, startedAt }
    // A client that left is told nothing, and it is nobody's fault.
    const broke = (error: unknown): void => {
      if (!leave.aborted) logFailure(app, asRefusal(error, dialect.name), error, id)
    }
    const reply = { id, response, stalls, broke }
    const delivered = call.stream
      ? await deliverStream(dialect, call.streamed(head), served, reply)
      : await deliverWhole(call.whole(head), served, reply)
    crashPoint('last-byte')
    if (delivered) served.settle()
  } catch (error) {
    if (!leave.aborted || !response.destroyed) throw error
  } finally {
    served?.void()
    app.calls.delete(leave)
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
