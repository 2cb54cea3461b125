// The two inference endpoints: one flow, two dialects. Answers are written to the bare response; what is refused before one began is
// answered as everywhere.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { shortTextCharactersMax } from '#contract/limits.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import type { CallRequest } from '../../core/request.ts'
import { readObject } from '../../dialect/read-fields.ts'
import { runCall } from '../../inference/run-call.ts'
import { WalletBilling } from '../../inference/wallet-billing.ts'
import { grouped } from '../../lib/grouped.ts'
import { storableId } from '../../samples/sample/storable-name.ts'
import { logIgnored } from '../log-requests.ts'
import { asRefusal } from '../surface.ts'
import { deliverStream, deliverWhole } from './deliver.ts'
import type { Dialect } from './dialect.ts'
import { beforeBody, callerAfterBody } from './inference-hooks.ts'
import { recordingWish } from './recording-wish.ts'
import { serverWordsIn } from './server-words.ts'
import type { StallWatch } from './stall-watch.ts'

export type Endpoint = { path: string; dialect: Dialect; stalls: StallWatch }

export function inferenceEndpoint(server: FastifyInstance, app: App, endpoint: Endpoint): void {
  server.post(endpoint.path, {
    ...beforeBody(app),
    async handler(request, reply) {
      const { raw: response } = reply
      const leave = new AbortController()
      // An answer that went out whole closes too, and that is no disconnect.
      const closed = (): void => {
        if (!response.writableFinished) leave.abort()
      }
      if (response.destroyed) closed()
      else response.once('close', closed)
      try {
        await answer(app, endpoint, request, reply, leave)
      } catch (error) {
        request.serverWords = await serverWordsIn(app, error)
        // A client that left is told nothing, and it is nobody's fault.
        if (!leave.signal.aborted || !response.destroyed) {
          if (!response.headersSent) throw error
          logFailure(app, endpoint.dialect, error, request.id)
          response.destroy()
        }
      }
      // The answer is out, or will never be.
      reply.hijack()
    },
  })
}

async function answer(
  app: App,
  { dialect, stalls }: Endpoint,
  asked: FastifyRequest,
  { raw: response }: FastifyReply,
  abort: AbortController,
): Promise<void> {
  const caller = await callerAfterBody(app, asked)
  const { id, body } = asked
  const { headers } = asked.raw
  const text = body as string
  const call = dialect.parse(readObject(text), {
    text,
    workspaceId: caller.workspace.id,
    thinkingKey: app.calls.thinkingKey,
    headers,
  })
  logIgnored(app, id, call.ignored)
  const broke = (error: unknown): void => {
    if (!abort.signal.aborted) logFailure(app, dialect, error, id)
  }
  const reply = { id, response, stalls, broke }
  const request = inSession(call.request, headers)
  const recording = recordingWish(headers, id)
  const billing = new WalletBilling({ clientRequestId: storableId(id), recording })
  const whole = !call.stream
  await runCall(app, { caller, request, dialect: dialect.name, whole, billing, abort }, (served) =>
    whole
      ? deliverWhole(call.whole(served), served, reply)
      : deliverStream(dialect, call.streamed(served), served, reply),
  )
}

function logFailure(app: App, dialect: Dialect, error: unknown, id: string): void {
  const refusal = asRefusal(error, dialect.name)
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
