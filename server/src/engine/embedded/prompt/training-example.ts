// One conversation as a training example: the whole of it as input, labels only on its last assistant turn
// (text, tool calls and the end-of-turn token), rendered by the same code that serves.
import { renderPrompt } from './render-prompt.ts'
import type { Prompter } from './render-prompt.ts'
import type { Conversation } from './template-messages.ts'

/** The label of a token that is not to be learned. */
const ignoredLabel = -100

export type TrainingExample = { inputIds: number[]; labels: number[] }

/** `skipped` says why a conversation has nothing to teach; it is a reason to count, not a failure. */
export type Skipped = { skipped: string }

/**
 * A thought in the last turn is taught where the template shows it. Many templates leave thoughts out; the
 * answer is then taught as one given without thinking. A text that surely has more than `tokensMax` tokens is refused before
 * they are counted.
 */
export function trainingExample(
  prompter: Prompter,
  conversation: Conversation,
  endIds: readonly number[],
  tokensMax = Infinity,
): TrainingExample | Skipped {
  const last = conversation.messages.at(-1)
  if (last?.role !== 'assistant') return { skipped: 'the last message is not from the assistant' }
  const thought = last.blocks.some((block) => block.type === 'thinking' && block.text !== '')
  const withThought = thought
    ? labelled(prompter, conversation, endIds, { thinking: true, tokensMax })
    : null
  return withThought && !('skipped' in withThought)
    ? withThought
    : labelled(prompter, conversation, endIds, { thinking: false, tokensMax })
}

function labelled(
  prompter: Prompter,
  conversation: Conversation,
  endIds: readonly number[],
  options: { thinking: boolean; tokensMax: number },
): TrainingExample | Skipped {
  const asked = { ...conversation, messages: conversation.messages.slice(0, -1) }
  const prompt = renderPrompt(prompter, asked, { ...options, generationPrompt: true })
  const whole = renderPrompt(prompter, conversation, { ...options, generationPrompt: false })
  if (prompt.some((id, index) => whole[index] !== id)) {
    return { skipped: 'the chat template renders the prompt differently once it is answered' }
  }
  // What a template writes after the end of the turn is never generated, so it is not learned either.
  const end = whole.findLastIndex((id) => endIds.includes(id))
  if (end < prompt.length) return { skipped: 'the last turn has no end-of-turn token' }
  if (end === prompt.length) return { skipped: 'the last turn is empty' }
  const inputIds = whole.slice(0, end + 1)
  const labels = inputIds.map((id, index) => (index < prompt.length ? ignoredLabel : id))
  return { inputIds, labels }
}
