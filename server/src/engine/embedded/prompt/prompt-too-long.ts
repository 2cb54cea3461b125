// Finds out, without the work of reading all of it, that a prompt is longer than a model's window.
import type { Block } from '../../../core/block.ts'
import { EngineError } from '../../engine.ts'
import type { Piece } from './guarded-text.ts'
import type { Conversation } from './template-messages.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Text is tried in slices of so many characters, and a cut through it makes at most so many tokens more. */
const sliceCharacters = 16_384
const tokensOfCut = 16
/** A text of fewer characters for each token of the window is not worth trying. */
const triedCharacters = 4

export type PromptRoom = { tokensMax: number; longestTokenBytes: number }

/** Before it goes to the model's thread: no token stands for more bytes than the longest. Twice that, to be sure. */
export function refuseFarTooLong(
  { tokensMax, longestTokenBytes }: PromptRoom,
  { system, messages }: Conversation,
): void {
  let characters = 0
  for (const { text } of system) characters += text.length
  for (const { blocks } of messages) for (const block of blocks) characters += lengthOf(block)
  if (characters > 2 * tokensMax * longestTokenBytes) throw promptTooLong(tokensMax)
}

function lengthOf(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length
    case 'tool-call':
      return block.arguments.length
    case 'tool-result':
      return block.content.reduce((sum, part) => sum + lengthOf(part), 0)
    case 'thinking':
    case 'image':
      return 0
  }
}

export function isSurelyLonger(
  tokenizer: Tokenizer,
  pieces: readonly Piece[],
  tokensMax: number,
): boolean {
  const texts = pieces.flatMap((piece) => ('text' in piece ? [piece.text] : []))
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters <= triedCharacters * tokensMax) return false
  let tokens = 0
  for (const text of texts) {
    for (let from = 0; from < text.length; from += sliceCharacters) {
      const slice = text.slice(from, from + sliceCharacters)
      tokens += tokenizer.encodeText(slice, 'mark').length - tokensOfCut
      if (tokens > tokensMax) return true
    }
  }
  return false
}

export function promptTooLong(tokensMax: number, tokens?: number): EngineError {
  return new EngineError(
    'refused',
    `The prompt is ${tokens ?? `more than ${tokensMax}`} tokens long, but the context window of this model has room for ${tokensMax}; shorten the conversation.`,
    { param: 'messages' },
  )
}
