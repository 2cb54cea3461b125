// Why an answer ended, in the words of each server.
import type { StopReason } from '../../core/stop-reason.ts'
import type { Json } from '../../lib/json-object.ts'

/** What servers say of an answer that they gave up. */
const failedReasons = new Set<unknown>([
  'error',
  'abort',
  'cancelled',
  'network_error',
  'insufficient_system_resource',
])
/** And of one in which their model did not manage to call a tool. */
const failedCalls = new Set<unknown>([
  'malformed_function_call',
  'unexpected_tool_call',
  'function_call_filter',
])
const lengthReasons = new Set<unknown>([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'model_context_window_exceeded',
])
const refusalReasons = new Set<unknown>([
  'content_filter',
  'content_filtered',
  'sensitive',
  'refusal',
  'safety',
  'recitation',
  'prohibited_content',
])

/**
 * The word itself; null while there is none. Some servers say an empty one with every chunk, and Gemini says behind its word
 * what a filter found: `content_filter: RECITATION`.
 */
export function endWord({ finish_reason: said }: Json): string | null {
  if (typeof said !== 'string' || said === '') return null
  const colon = said.indexOf(':')
  return (colon > 0 ? said.slice(0, colon) : said).toLowerCase()
}

export function isGivenUp(word: string): boolean {
  return failedReasons.has(word) || isModelsFault(word)
}

export function isModelsFault(word: string): boolean {
  return failedCalls.has(word)
}

export function readReason(choice: Json, calledTools: boolean): StopReason {
  const word = endWord(choice)
  if (lengthReasons.has(word)) return { kind: 'length' }
  if (refusalReasons.has(word)) return { kind: 'refusal' }
  // Some servers say `stop` after tool calls, and some `tool_calls` where there was none to wait for.
  if (calledTools) return { kind: 'tool-calls' }
  // vLLM names the stop text it met in one field, SGLang in the other; a number there is a token.
  const met = choice.stop_reason ?? choice.matched_stop
  return typeof met === 'string' ? { kind: 'stop-string', text: met } : { kind: 'end' }
}
