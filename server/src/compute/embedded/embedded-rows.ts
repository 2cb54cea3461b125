// Rows of the embedded trainer: prompts are rendered by the code that also serves, with the model's own tokenizer and chat template.
import { EngineError } from '../../engine/engine.ts'
import { readModelConfig } from '../../engine/embedded/llama/read-model-folder.ts'
import { openChatTemplate } from '../../engine/embedded/prompt/chat-template.ts'
import type { Prompter } from '../../engine/embedded/prompt/render-prompt.ts'
import { openTokenizer } from '../../engine/embedded/prompt/tokenizer.ts'
import { trainingExample } from '../../engine/embedded/prompt/training-example.ts'
import type { RowEncoder } from '../row-encoder.ts'

export async function openEmbeddedRows(folder: string, contextWindow: number): Promise<RowEncoder> {
  const [tokenizer, template, config] = await Promise.all([
    openTokenizer(folder),
    openChatTemplate(folder),
    readModelConfig(folder),
  ])
  const tokensMax = Math.min(contextWindow, config.contextWindow)
  return embeddedRows({ tokenizer, template }, config.eosTokenIds, tokensMax)
}

export function embeddedRows(
  prompter: Prompter,
  endIds: readonly number[],
  tokensMax: number,
): RowEncoder {
  return {
    encode(conversation) {
      try {
        const row = trainingExample(prompter, conversation, endIds, tokensMax)
        if ('skipped' in row) return 'template'
        return row.inputIds.length > tokensMax ? 'too_long' : row
      } catch (error) {
        // A text that cannot be rendered must not stop the rows after it.
        return error instanceof EngineError && error.tooLong ? 'too_long' : 'template'
      }
    },
  }
}
