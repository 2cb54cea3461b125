// Who calls a model: a key as bearer token, with the scope for it. Decided before a byte of the body is read.
// The same key is refused the next time too, which agents that try again by themselves are told.
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../account/caller.ts'
import { bearerToken } from '../../account/identify-caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { noRetry } from '../../inference/no-retry.ts'

export async function identifyInference(app: App, headers: IncomingHttpHeaders): Promise<Caller> {
  const secret = bearerToken(headers.authorization)
  if (secret === null) {
    throw new Refusal(
      'missing_bearer_token',
      'The bearer token is missing: send your key as Authorization: Bearer; X-API-Key does not work here, and Anthropic-style clients set the header through their auth-token option or ANTHROPIC_CUSTOM_HEADERS.',
      { headers: noRetry },
    )
  }
  const caller = await app.operations.identity.callerOfSecret(secret)
  if (!caller) {
    throw new Refusal(
      'invalid_api_key',
      // LiteLLM, and what is built on it, tells a wrong key from a wrong request by the first words.
      'Incorrect API key provided: it is unknown, revoked or expired, or its creator left.',
      { headers: noRetry },
    )
  }
  if (!caller.scopes.has('serverless')) {
    throw new Refusal('insufficient_scope', 'The key does not have the scope serverless.', {
      headers: noRetry,
    })
  }
  return caller
}
