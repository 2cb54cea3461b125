// `POST /v1/messages/count_tokens`, which both generations of the messages SDK offer.
import type { FastifyInstance } from 'fastify'
import { inferenceBodyBytesMax } from '#contract/limits.ts'
import type { App } from '../../app.ts'
import { ignoredFields } from '../../dialect/ignored-fields.ts'
import { withInputsAsWritten } from '../../dialect/messages/inputs-as-written.ts'
import { parseMessagesBody, parseSchemas } from '../../dialect/messages/parse.ts'
import { ThinkingSeal } from '../../dialect/messages/thinking-seal.ts'
import { readObject } from '../../dialect/read-fields.ts'
import { withSchemasAsWritten } from '../../dialect/schemas-as-written.ts'
import { countPromptTokens } from '../../inference/count-prompt-tokens.ts'
import { newId } from '../../lib/id.ts'
import { refuseLoopName } from '../../loop/pipeline/loop-name.ts'
import { isComing } from '../intake/unread-body.ts'
import { logIgnored } from '../log-requests.ts'
import { checkVersion } from './dialect.ts'
import { identifyInference } from './identify-inference.ts'

export function countTokensRoute(server: FastifyInstance, app: App): void {
  server.post('/v1/messages/count_tokens', {
    bodyLimit: inferenceBodyBytesMax,
    onRequest: async (request) => {
      request.caller = await identifyInference(app, request.headers)
      request.admittedEarly = isComing(request.raw)
      // The framework would refuse some content types, and a call is read whatever its body is said to be.
      request.headers = { ...request.headers, 'content-type': undefined }
    },
    handler: async (request, reply) => {
      if (request.admittedEarly) request.caller = await identifyInference(app, request.headers)
      const { caller } = request
      if (!caller) throw new Error('a count reached its handler without a caller')
      const seal = new ThinkingSeal(app.thinkingKey, caller.workspace.id)
      const text = request.body as string
      const body = readObject(text)
      checkVersion(request.headers)
      const parsed = withInputsAsWritten(parseMessagesBody(body, 'count'), body, text)
      const asked = withSchemasAsWritten(parsed.request, text, parseSchemas)
      logIgnored(app, request.id, ignoredFields(body, 'messages'))
      await refuseLoopName(app, caller, asked.model, 'messages')
      const abort = new AbortController()
      reply.raw.once('close', () => abort.abort())
      try {
        const input_tokens = await countPromptTokens(app, caller, seal.restore(asked), {
          requestId: newId(app.clock.now()),
          signal: abort.signal,
        })
        return { input_tokens }
      } catch (error) {
        // A client that left is told nothing, and it is nobody's fault.
        if (!abort.signal.aborted) throw error
        return reply.hijack()
      }
    },
  })
}
