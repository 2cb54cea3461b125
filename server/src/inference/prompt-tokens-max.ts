// An upper bound on the prompt's tokens that needs no tokenizer: a token is at least one byte of text, and the
// marks around messages, tools and blocks are bounded. Used for the hold only; the bill uses real counts.
import type { Block } from '../core/block.ts'
import type { CallRequest } from '../core/request.ts'
import { schemaText } from '../core/schema-text.ts'

const marksPerMessage = 16
const marksPerTool = 32
/** What the dearest common vision models count for one image. */
const tokensPerImage = 2048

export function promptTokensMax(request: CallRequest): number {
  let tokens = marksPerMessage
  for (const block of request.system) tokens += bytes(block.text) + marksPerMessage
  for (const tool of request.tools) {
    tokens += bytes(tool.name) + bytes(tool.description) + bytes(schemaText(tool)) + marksPerTool
  }
  if (request.output.kind === 'json-schema') tokens += bytes(JSON.stringify(request.output))
  for (const message of request.messages) {
    tokens += marksPerMessage
    for (const block of message.blocks) tokens += blockTokens(block)
  }
  return tokens
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
      return bytes(block.text)
    case 'thinking':
      // The words may be a summary; what they sum up is in the proof.
      return bytes(block.text) + bytes(block.proof ?? '')
    case 'image':
      return tokensPerImage
    case 'tool-call':
      return bytes(block.id) + bytes(block.name) + bytes(block.arguments) + marksPerTool
    case 'tool-result':
      return block.content.reduce(
        (sum, part) => sum + blockTokens(part),
        bytes(block.toolCallId) + marksPerTool,
      )
  }
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
