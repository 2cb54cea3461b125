// A conversation as the token ids a model reads. Serving and training both render here, so a model is always
// asked in the words it was taught.
import { EngineError } from '../../engine.ts'
import type { ChatTemplate, TemplateVariables } from './chat-template.ts'
import { guardedText } from './guarded-text.ts'
import type { Piece } from './guarded-text.ts'
import { isSurelyLonger, promptTooLong, withoutFarThoughts } from './prompt-too-long.ts'
import { templateMessages, templateTools } from './template-messages.ts'
import type { Conversation } from './template-messages.ts'
import type { Tokenizer } from './tokenizer.ts'

export type Prompter = { tokenizer: Tokenizer; template: ChatTemplate }

export type RenderOptions = {
  /** Ends the prompt where the assistant's turn begins. */
  generationPrompt: boolean
  thinking: boolean
  /** Carried on with: the prompt ends behind it. */
  begun?: string
  /** What is sure to be longer is refused before the costly part; what comes out may still be a little longer. */
  tokensMax?: number
}

export function renderPrompt(
  { tokenizer, template }: Prompter,
  conversation: Conversation,
  options: RenderOptions,
): number[] {
  const { tokensMax = Infinity } = options
  const { longestTokenBytes } = tokenizer
  const messages = withoutFarThoughts({ tokensMax, longestTokenBytes }, conversation.messages)
  const guarded = guardedText(tokenizer.marks.keys())
  const rendered = renderTemplate(template, () => ({
    messages: templateMessages({ ...conversation, messages }, guarded.guard),
    tools: templateTools(conversation.tools, guarded.guard),
    add_generation_prompt: options.generationPrompt,
    enable_thinking: options.thinking,
  }))
  const whole = rendered + guarded.guard(options.begun ?? '')
  const pieces = guarded.split(whole)
  if (isSurelyLonger(tokenizer, pieces, tokensMax)) throw promptTooLong(tokensMax)
  return tokenize(tokenizer, pieces)
}

/** Recursion into a hostile depth of JSON ends here too, as a refusal like any other. */
function renderTemplate(template: ChatTemplate, variables: () => TemplateVariables): string {
  try {
    return template.render(variables())
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    const sentence = 'The chat template of this model cannot render these messages.'
    throw new EngineError('refused', sentence, { cause, param: 'messages' })
  }
}

function tokenize(tokenizer: Tokenizer, pieces: readonly Piece[]): number[] {
  const ids: number[] = []
  for (const [index, piece] of pieces.entries()) {
    if ('mark' in piece) {
      ids.push(tokenizer.marks.get(piece.mark)!.id)
      continue
    }
    const before = markAt(tokenizer, pieces[index - 1])
    const after = markAt(tokenizer, pieces[index + 1])
    let text = piece.text
    if (before?.rstrip) text = text.trimStart()
    if (after?.lstrip) text = text.trimEnd()
    for (const id of tokenizer.encodeText(text, index === 0 ? 'nothing' : 'mark')) ids.push(id)
  }
  return ids
}

function markAt(tokenizer: Tokenizer, piece: Piece | undefined) {
  return piece && 'mark' in piece ? tokenizer.marks.get(piece.mark) : undefined
}
