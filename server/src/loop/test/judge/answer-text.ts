// An answer as the text that a judge compares: the same calls become the same text, however their arguments were written.
import type { Block, ToolCallBlock } from '../../../core/block.ts'
import { quoteLong, unquoteLong } from '../../../lib/long-numbers.ts'
import { sortedMembers } from '../../../lib/sorted-members.ts'

/** Its texts; with tool calls one JSON object of both. Thoughts are no part of an answer. Empty where nothing was answered. */
export function answerText(blocks: readonly Block[]): string {
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const calls = blocks.filter((block) => block.type === 'tool-call')
  if (calls.length === 0) return text.trim() === '' ? '' : text
  const said = text.trim() === '' ? '' : `"text":${JSON.stringify(text)},`
  return `{${said}"tool_calls":[${calls.map(callText).join(',')}]}`
}

export function callText({ name, arguments: json }: ToolCallBlock): string {
  return `{"name":${JSON.stringify(name)},"arguments":${argumentsText(json)}}`
}

/** Arguments that are no JSON stand as the text that they are. */
function argumentsText(json: string): string {
  if (json.trim() === '') return '{}'
  try {
    JSON.parse(json)
    return unquoteLong(JSON.stringify(sortedMembers(JSON.parse(quoteLong(json)))))
  } catch {
    return JSON.stringify(json)
  }
}
