// A line that Claude Code puts before its system prompt, for the books of the service it was written for. It means nothing
// to a model and is another one in every request, so that no prompt that begins with it could ever be read from a cache,
// nor two calls be told to be one conversation. It is no part of the prompt here: nobody is sent it, and nobody pays for it.
import type { TextBlock } from '../../core/block.ts'

const begins = 'x-anthropic-billing-header:'

export function withoutBillingLines(system: readonly TextBlock[]): TextBlock[] {
  return system.flatMap((block) => {
    const text = withoutBillingLine(block.text)
    if (text === block.text) return [block]
    return text === '' ? [] : [{ ...block, text }]
  })
}

function withoutBillingLine(text: string): string {
  if (!text.startsWith(begins)) return text
  const end = text.indexOf('\n')
  return end < 0 ? '' : text.slice(end).trimStart()
}
