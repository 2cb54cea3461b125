// The top-level fields of the chat dialect that need no more than a check of their type, and those that belong to the
// messages dialect.
import type { Json } from '../../lib/json-object.ts'
import { bad, type ForeignFields, unsupported } from '../read-fields.ts'
import * as read from '../read-fields.ts'

export const foreignToChat: ForeignFields = {
  system: 'a message with role system',
  thinking: 'reasoning_effort',
  output_config: 'reasoning_effort or response_format',
  stop_sequences: 'stop',
  output_format: 'response_format',
  context_management: null,
  container: null,
  mcp_servers: null,
  inference_geo: null,
  speed: null,
  diagnostics: null,
  compaction: null,
  fallbacks: null,
  fallback_credit_token: null,
  thread: null,
}

/** Accepted for the sake of clients that send them; they change nothing here. */
export function checkFieldsWithoutEffect(body: Json): void {
  if ((body.n ?? 1) !== 1) {
    throw read.bad('n', 'n must be 1; send the request once for each answer that you want.')
  }
  read.optionalObject(body, 'stream_options')
  read.optionalBoolean(body, 'logprobs')
  read.optionalNumber(body, 'top_logprobs', { min: 0, max: 20, whole: true })
  read.optionalString(body, 'user')
  read.optionalString(body, 'safety_identifier')
  read.optionalBoolean(body, 'store')
  read.optionalObject(body, 'metadata')
  read.optionalString(body, 'service_tier')
  read.optionalObject(body, 'audio')
  read.optionalObject(body, 'web_search_options')
  read.optionalString(body, 'prompt_cache_retention')
  const modalities = read.optionalStrings(body, 'modalities', 10)
  if (modalities.includes('audio')) {
    throw bad('modalities', 'modalities: this service answers in text only.')
  }
  for (const [field, native] of [
    ['functions', 'tools'],
    ['function_call', 'tool_choice'],
  ] as const) {
    if (read.present(body, field)) throw unsupported(field, `${field} is obsolete; use ${native}.`)
  }
}
