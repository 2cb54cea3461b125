// The base of a pipeline, as far as tokens need it: its tokenizer, its chat template, and how long a row may be.
import type { SkipReason } from '#contract/run-plan.ts'
import { EngineError } from '../../engine/engine.ts'
import { readModelConfig } from '../../engine/embedded/llama/read-model-folder.ts'
import { openChatTemplate } from '../../engine/embedded/prompt/chat-template.ts'
import type { Prompter } from '../../engine/embedded/prompt/render-prompt.ts'
import { openTokenizer } from '../../engine/embedded/prompt/tokenizer.ts'
import {
  type TrainingExample,
  trainingExample,
} from '../../engine/embedded/prompt/training-example.ts'
import type { Block } from '../../core/block.ts'
import type { Conversation } from '../../samples/sample/conversation.ts'
import { neverLearned } from './never-learned.ts'

export type TrainedModel = { prompter: Prompter; endIds: readonly number[]; tokensMax: number }

export async function openTrainedModel(
  folder: string,
  contextWindow: number,
): Promise<TrainedModel> {
  const [tokenizer, template, config] = await Promise.all([
    openTokenizer(folder),
    openChatTemplate(folder),
    readModelConfig(folder),
  ])
  return {
    prompter: { tokenizer, template },
    endIds: config.eosTokenIds,
    tokensMax: Math.min(contextWindow, config.contextWindow),
  }
}

/** What is said after the answer is not trained on. */
export function trainingRow(
  { prompter, endIds, tokensMax }: TrainedModel,
  conversation: Conversation,
  answer: Block[],
): TrainingExample | { skipped: SkipReason } {
  const reason = neverLearned(conversation, answer)
  if (reason) return { skipped: reason }
  const answered = {
    tools: conversation.tools.map((tool) => ({ ...tool, eager: false })),
    system: conversation.system,
    messages: [...conversation.messages, { role: 'assistant' as const, blocks: answer }],
  }
  try {
    const example = trainingExample(prompter, answered, endIds, tokensMax)
    if ('skipped' in example) return { skipped: 'template' }
    return example.inputIds.length > tokensMax ? { skipped: 'too_long' } : example
  } catch (error) {
    // Whatever goes wrong with the text of one row, all others can be learned from.
    return { skipped: error instanceof EngineError && error.tooLong ? 'too_long' : 'template' }
  }
}
