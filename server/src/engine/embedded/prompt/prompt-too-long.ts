// Finds out, without the work of reading all of it, that a prompt is longer than a model's window.
import { toolNameCharactersMax } from '#contract/limits.ts'
import type { Block, Message } from '../../../core/block.ts'
import { EngineError } from '../../engine.ts'
import type { Piece } from './guarded-text.ts'
import type { Conversation } from './template-messages.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Text is tried in slices of so many characters, and a cut through it makes at most so many tokens more. */
const sliceCharacters = 16_384
const tokensOfCut = 16
/** A text of fewer characters for each token of the window is not worth trying. */
const triedCharacters = 4

export type PromptRoom = {
  tokensMax: number
  longestTokenBytes: number
  /** Whether the template writes out tools and their calls; many pass over them. */
  showsTools: boolean
}

/**
 * Before it goes to the model's thread, as others wait while a template is rendered: no token stands for more bytes than the
 * longest, and a message or a call is a token at least. Twice that, to be sure.
 */
export function refuseFarTooLong(
  room: PromptRoom,
  { tools, system, messages }: Conversation,
): void {
  const { tokensMax, longestTokenBytes, showsTools } = room
  const charactersMax = charactersThatFit(room)
  let characters = 0
  const add = (more: number) => {
    characters += more
    if (characters > charactersMax) throw promptTooLong(tokensMax)
  }
  for (const { text } of system) add(text.length)
  for (const { blocks } of messages) {
    add(longestTokenBytes)
    for (const block of blocks) {
      add(lengthOf(block))
      if (showsTools && isOfTools(block)) add(longestTokenBytes)
    }
  }
  if (!showsTools) return
  for (const { name, description, parameters } of tools) {
    add(name.length + description.length + JSON.stringify(parameters).length)
  }
}

/** Surely more than the window has room for. */
function charactersThatFit({
  tokensMax,
  longestTokenBytes,
}: Pick<PromptRoom, 'tokensMax' | 'longestTokenBytes'>): number {
  return 2 * tokensMax * longestTokenBytes
}

function isOfTools({ type }: Block): boolean {
  return type === 'tool-call' || type === 'tool-result'
}

/**
 * Most templates leave out earlier thoughts, so that they may be longer than the window and are not refused for it. Of them the
 * newest are kept, as many as would be too long for it if they were shown; the others say nothing, and cost nothing to look through.
 */
export function withoutFarThoughts(
  room: Pick<PromptRoom, 'tokensMax' | 'longestTokenBytes'>,
  messages: readonly Message[],
): Message[] {
  let left = charactersThatFit(room)
  return messages
    .toReversed()
    .map((message) => {
      if (!message.blocks.some(({ type }) => type === 'thinking')) return message
      const blocks = message.blocks.toReversed().map((block) => {
        if (block.type !== 'thinking') return block
        const text = block.text.slice(0, left)
        left -= text.length
        return { ...block, text }
      })
      return { ...message, blocks: blocks.reverse() }
    })
    .reverse()
}

function lengthOf(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length
    case 'tool-call':
      // Nothing that can be called has a longer name.
      return block.arguments.length + Math.max(0, block.name.length - toolNameCharactersMax)
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
  let tokens = pieces.length - texts.length
  if (tokens > tokensMax) return true
  if (characters <= triedCharacters * tokensMax) return false
  for (const text of texts) {
    for (let from = 0; from < text.length; from += sliceCharacters) {
      const slice = text.slice(from, from + sliceCharacters)
      tokens += tokenizer.encodeText(slice, 'mark').length - tokensOfCut
      if (tokens > tokensMax) return true
    }
  }
  return false
}

/** Agents shorten a conversation or take another model by themselves when they are told in just these words that it is "too long", "exceeds the context window" or "the model's maximum context limit". */
export function promptTooLong(tokensMax: number, tokens?: number): EngineError {
  return new EngineError(
    'refused',
    `The prompt is too long: it has ${tokens ?? `more than ${tokensMax}`} tokens and exceeds the context window (the model's maximum context limit), which has room for ${tokensMax}; shorten the conversation.`,
    { param: 'messages', tooLong: { numbers: [] } },
  )
}
