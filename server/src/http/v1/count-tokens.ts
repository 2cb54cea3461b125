// `POST /v1/messages/count_tokens`, which both generations of the messages SDK offer.
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { ignoredFields } from '../../dialect/ignored-fields.ts'
import { withInputsAsWritten } from '../../dialect/messages/inputs-as-written.ts'
import { parseMessagesBody, parseSchemas } from '../../dialect/messages/parse.ts'
import { ThinkingSeal } from '../../dialect/messages/thinking-seal.ts'
import { readObject } from '../../dialect/read-fields.ts'
import { withSchemasAsWritten } from '../../dialect/schemas-as-written.ts'
import { countPromptTokens } from '../../inference/count-prompt-tokens.ts'
import { newId } from '../../lib/id.ts'
import { logIgnored } from '../log-requests.ts'
import { checkVersion } from './dialect.ts'
import { beforeBody, callerAfterBody } from './inference-hooks.ts'

export function countTokensRoute(server: FastifyInstance, app: App): void {
  server.post('/v1/messages/count_tokens', {
    ...beforeBody(app),
    handler: async (request, reply) => {
      const caller = await callerAfterBody(app, request)
      const seal = new ThinkingSeal(app.calls.thinkingKey, caller.workspace.id)
      const text = request.body as string
      const body = readObject(text)
      checkVersion(request.headers)
      const parsed = withInputsAsWritten(parseMessagesBody(body, 'count'), body, text)
      const asked = withSchemasAsWritten(parsed.request, text, parseSchemas)
      logIgnored(app, request.id, ignoredFields(body, 'messages'))
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
