// The top-level fields of the messages dialect that need no more than a look, and those that belong to the chat dialect.
import { isObject, type Json } from '../../lib/json-object.ts'
import {
  field,
  type ForeignFields,
  optionalObject,
  optionalString,
  unsupported,
} from '../read-fields.ts'

export const foreignToMessages: ForeignFields = {
  max_completion_tokens: 'max_tokens',
  reasoning_effort: 'output_config.effort',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  response_format: 'output_config.format',
  stop: 'stop_sequences',
  user: 'metadata.user_id',
  safety_identifier: 'metadata.user_id',
  functions: 'tools',
  function_call: 'tool_choice',
  prompt_cache_key: 'session_id',
  stream_options: null,
  n: null,
  seed: null,
  frequency_penalty: null,
  presence_penalty: null,
  logit_bias: null,
  logprobs: null,
  top_logprobs: null,
  store: null,
  verbosity: null,
  prediction: null,
  moderation: null,
  modalities: null,
  audio: null,
  web_search_options: null,
  prompt_cache_options: null,
  prompt_cache_retention: null,
}

/** Would change the answer if they held anything, and cannot be served. */
const servedNowhere = ['mcp_servers', 'container', 'thread', 'compaction']

export function checkFieldsWithoutEffect(body: Json): void {
  optionalObject(body, 'metadata')
  optionalString(body, 'service_tier')
  for (const name of servedNowhere) {
    const value = field(body, name)
    const empty =
      value === undefined ||
      (Array.isArray(value) && value.length === 0) ||
      (isObject(value) && Object.keys(value).length === 0)
    if (!empty) throw unsupported(name, `${name} is not supported by this service.`)
  }
}
