// The arguments of tool calls are JSON in a text, and so more than a text to engines, which parse them. What guards a body
// while it arrives passes over its texts.
import type { Message } from '../../core/block.ts'
import { jsonLimits } from '../../core/json-limits.ts'
import { JsonGuard } from '../../lib/json-guard.ts'
import { bad } from '../read-fields.ts'
import { areArguments } from '../tool-arguments.ts'

/** Whatever they hold, so few are parsed in a few milliseconds. */
const harmlessCharacters = 64 * 1024

/** All of a conversation together may hold what a body may. */
export function checkArguments(messages: readonly Message[]): void {
  const texts = argumentsIn(messages)
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters <= harmlessCharacters) return
  let valuesMax = jsonLimits.valuesMax
  for (const text of texts) {
    const guard = new JsonGuard({ ...jsonLimits, valuesMax })
    const fault = guard.push(Buffer.from(text))
    // What is no JSON is no more work either: it is parsed as far as it is.
    if (fault !== null && fault !== 'malformed') {
      throw bad(
        'messages',
        'The arguments of the tool calls hold more values, or are nested deeper, than a request may.',
      )
    }
    valuesMax -= guard.values
  }
}

/** Every text is parsed, so `checkArguments` comes first. */
export function requireArguments(messages: readonly Message[]): void {
  for (const [index, { role, blocks }] of messages.entries()) {
    if (role !== 'assistant') continue
    const calls = blocks.filter((block) => block.type === 'tool-call')
    const call = calls.findIndex((one) => !areArguments(one.arguments))
    if (call === -1) continue
    const at = `messages[${index}].tool_calls[${call}].function.arguments`
    throw bad('messages', `${at} must be the text of a JSON object, or empty.`)
  }
}

function argumentsIn(messages: readonly Message[]): string[] {
  const texts: string[] = []
  for (const { role, blocks } of messages) {
    if (role !== 'assistant') continue
    for (const block of blocks) if (block.type === 'tool-call') texts.push(block.arguments)
  }
  return texts
}
