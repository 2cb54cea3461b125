// An upper bound on the prompt's tokens that needs no tokenizer: a token is at least one byte of text, and the
// marks around messages, tools and blocks are bounded. Used for the hold only; the bill uses real counts.
import type { Block } from '../core/block.ts'
import type { CallRequest } from '../core/request.ts'
import { schemaText } from '../core/schema-text.ts'

const marksPerMessage = 16
const marksPerTool = 32
/** What the dearest common vision models count for one image. */
const tokensPerImage = 2048

type TokensIn = (text: string) => number

export function promptTokensMax(request: CallRequest): number {
  return promptTokensBy(bytes, request)
}

/** The same with another measure of texts. */
export function promptTokensBy(tokensIn: TokensIn, request: CallRequest): number {
  let tokens = marksPerMessage
  for (const block of request.system) tokens += tokensIn(block.text) + marksPerMessage
  for (const tool of request.tools) {
    tokens += tokensIn(tool.name) + tokensIn(tool.description)
    tokens += tokensIn(schemaText(tool)) + marksPerTool
  }
  if (request.output.kind === 'json-schema') tokens += tokensIn(JSON.stringify(request.output))
  for (const message of request.messages) {
    tokens += marksPerMessage
    for (const block of message.blocks) tokens += blockTokens(tokensIn, block)
  }
  return tokens
}

function blockTokens(tokensIn: TokensIn, block: Block): number {
  switch (block.type) {
    case 'text':
      return tokensIn(block.text)
    case 'thinking':
      // The words may be a summary; what they sum up is in the proof.
      return tokensIn(block.text) + tokensIn(block.proof ?? '')
    case 'image':
      return tokensPerImage
    case 'tool-call':
      return tokensIn(block.id) + tokensIn(block.name) + tokensIn(block.arguments) + marksPerTool
    case 'tool-result':
      return block.content.reduce(
        (sum, part) => sum + blockTokens(tokensIn, part),
        tokensIn(block.toolCallId) + marksPerTool,
      )
  }
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
