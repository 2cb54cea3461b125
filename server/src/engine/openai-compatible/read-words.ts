// The words and thoughts of a message, under the names and in the shapes in which servers send them.
import type { StreamPart } from '../../core/stream-part.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { notAnAnswer } from '../upstream/read-json.ts'

export type Words = Extract<StreamPart, { type: 'text-delta' | 'thinking-delta' }>

export function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** vLLM and Ollama say `reasoning`, SGLang, llama.cpp and DeepSeek `reasoning_content`, OpenRouter a list. */
export function thoughtIn({ reasoning_content, reasoning, reasoning_details }: Json): string {
  if (isWord(reasoning_content)) return reasoning_content
  if (isWord(reasoning)) return reasoning
  if (!Array.isArray(reasoning_details)) return ''
  return reasoning_details.map(detailText).join('')
}

/** What is encrypted has no words. */
function detailText(detail: unknown): string {
  if (!isObject(detail)) return ''
  return [detail.text, detail.summary].find(isWord) ?? ''
}

/** Content that is a list, as Mistral sends it. Parts that nobody knows may be words, and lost words would be billed. */
export function wordsOfParts(parts: readonly unknown[]): Words[] {
  return parts.flatMap((part): Words[] => {
    if (!isObject(part)) throw notAnAnswer()
    switch (part.type) {
      case 'text':
        return said('text-delta', part.text)
      case 'thinking':
        return said('thinking-delta', textOf(part.thinking))
      case 'reference':
        return []
      default:
        throw notAnAnswer()
    }
  })
}

function said(type: Words['type'], text: unknown): Words[] {
  if (typeof text !== 'string') throw notAnAnswer()
  return text === '' ? [] : [{ type, text }]
}

/** A thought is a text, or a list of parts again, which are put together once, however deep they lie. */
function textOf(thinking: unknown): unknown {
  return Array.isArray(thinking) ? textsIn(thinking, []).join('') : thinking
}

function textsIn(parts: readonly unknown[], into: string[]): string[] {
  for (const part of parts) {
    if (isObject(part) && part.type === 'thinking' && Array.isArray(part.thinking)) {
      textsIn(part.thinking, into)
    } else for (const { text } of wordsOfParts([part])) into.push(text)
  }
  return into
}
