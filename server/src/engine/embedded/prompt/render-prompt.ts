// A conversation as the token ids a model reads. Serving and training both render here, so a model is always
// asked in the words it was taught.
import { EngineError } from '../../engine.ts'
import type { ChatTemplate, TemplateVariables } from './chat-template.ts'
import { guardedText } from './guarded-text.ts'
import { templateMessages, templateTools } from './template-messages.ts'
import type { Conversation } from './template-messages.ts'
import type { Tokenizer } from './tokenizer.ts'

export type Prompter = { tokenizer: Tokenizer; template: ChatTemplate }

export type RenderOptions = {
  /** Ends the prompt where the assistant's turn begins. */
  generationPrompt: boolean
  thinking: boolean
  /** Refuses, before the costly part, what cannot fit into this many tokens. */
  tokensMax?: number
}

export function renderPrompt(
  { tokenizer, template }: Prompter,
  conversation: Conversation,
  options: RenderOptions,
): number[] {
  const guarded = guardedText(tokenizer.marks.keys())
  const rendered = renderTemplate(template, () => ({
    messages: templateMessages(conversation, guarded.guard),
    tools: templateTools(conversation.tools, guarded.guard),
    add_generation_prompt: options.generationPrompt,
    enable_thinking: options.thinking,
  }))
  const tokensMax = options.tokensMax ?? Infinity
  // A token covers at most `longestTokenBytes` characters; twice that, as a mark is longer than it counts.
  if (rendered.length > 2 * tokensMax * tokenizer.longestTokenBytes) throw tooLong(tokensMax)
  const ids = tokenize(tokenizer, guarded.split(rendered))
  if (ids.length > tokensMax) throw tooLong(tokensMax, ids.length)
  return ids
}

/** Recursion into a hostile depth of JSON ends here too, as a refusal like any other. */
function renderTemplate(template: ChatTemplate, variables: () => TemplateVariables): string {
  try {
    return template.render(variables())
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    throw new EngineError(
      'refused',
      'The chat template of this model cannot render these messages.',
      {
        cause,
      },
    )
  }
}

function tokenize(tokenizer: Tokenizer, pieces: ({ text: string } | { mark: string })[]): number[] {
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

function markAt(tokenizer: Tokenizer, piece: { text: string } | { mark: string } | undefined) {
  return piece && 'mark' in piece ? tokenizer.marks.get(piece.mark) : undefined
}

function tooLong(tokensMax: number, tokens?: number): EngineError {
  const size = tokens === undefined ? 'far more' : `${tokens}`
  return new EngineError(
    'refused',
    `The prompt is ${size} tokens long, but this model's context window has room for ${tokensMax}.`,
  )
}
