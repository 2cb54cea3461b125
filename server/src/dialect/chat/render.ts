// The neutral answer as a chat completion, whole or as chunks. Wire names begin here.
import { isCut, type StopReason } from '../../core/stop-reason.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { promptTokens, type Usage } from '../../core/usage.ts'
import { standIn, TextInPieces, writeAround } from '../../lib/json-in-json.ts'

export type ChatHead = { id: string; created: number; model: string }

export function renderUsage(usage: Usage) {
  const prompt = promptTokens(usage)
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, ...cacheWrites(usage) },
    ...(usage.thinkingTokens > 0
      ? { completion_tokens_details: { reasoning_tokens: usage.thinkingTokens } }
      : {}),
  }
}

/** Only on a request that wrote; the sum under the name that newer SDKs know. */
function cacheWrites(usage: Usage) {
  const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
  if (written === 0) return {}
  return {
    cache_write_5m_tokens: usage.cacheWrite5mTokens,
    cache_write_1h_tokens: usage.cacheWrite1hTokens,
    cache_write_tokens: written,
  }
}

export function finishReason(reason: StopReason): string {
  switch (reason.kind) {
    case 'end':
    case 'stop-string':
      return 'stop'
    case 'length':
      return 'length'
    case 'tool-calls':
      return 'tool_calls'
    case 'refusal':
      return 'content_filter'
  }
}

/**
 * Clients of this dialect parse the arguments of every call, so that one without any has an empty object. A call in an
 * answer that was cut keeps what there is of it.
 */
export function argumentsAtEnd(json: string, reason: StopReason): string {
  return json.trim() === '' && !isCut(reason) ? '{}' : json
}

type ToolCallWire = { id: string; type: 'function'; function: { name: string; arguments: string } }

/** Collects the parts of an answer into one completion. */
export class ChatCompletion {
  readonly #text = new TextInPieces()
  #thinking = ''
  readonly #calls: ToolCallWire[] = []
  #finish: { reason: StopReason; usage: Usage } | null = null

  take(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        this.#text.add(part.text, part.json)
        break
      case 'thinking-delta':
        this.#thinking += part.text
        break
      case 'tool-call-start':
        this.#calls[part.index] = {
          id: part.id,
          type: 'function',
          function: { name: part.name, arguments: '' },
        }
        break
      case 'tool-call-delta': {
        const call = this.#calls[part.index]
        if (call) call.function.arguments += part.json
        break
      }
      case 'thinking-proof':
      case 'tool-call-end':
      case 'prompt':
        break
      case 'finish':
        this.#finish = part
    }
  }

  /** As JSON; null when the answer has no end. */
  write(head: ChatHead): string | null {
    if (!this.#finish) return null
    for (const call of this.#calls) {
      call.function.arguments = argumentsAtEnd(call.function.arguments, this.#finish.reason)
    }
    const hasContent = this.#text.text !== '' || this.#calls.length === 0
    const completion = {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: hasContent ? standIn : null,
            refusal: null,
            ...(this.#thinking === '' ? {} : { reasoning_content: this.#thinking }),
            ...(this.#calls.length > 0 ? { tool_calls: this.#calls } : {}),
          },
          logprobs: null,
          finish_reason: finishReason(this.#finish.reason),
        },
      ],
      usage: renderUsage(this.#finish.usage),
    }
    return writeAround(completion, hasContent ? [this.#text.json] : [])
  }
}
