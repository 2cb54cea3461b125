// A sample as the row that a model is trained on, or why it is never learned.
import type { SkipReason } from '#contract/run-plan.ts'
import type { TrainingRow } from '../../compute/compute.ts'
import type { RowEncoder } from '../../compute/row-encoder.ts'
import type { Block } from '../../core/block.ts'
import type { Conversation } from '../../samples/sample/conversation.ts'
import { neverLearned } from './never-learned.ts'

/** What is said after the answer is not trained on. */
export function trainingRow(
  encoder: RowEncoder,
  conversation: Conversation,
  answer: Block[],
): TrainingRow | { skipped: SkipReason } {
  const reason = neverLearned(conversation, answer)
  if (reason) return { skipped: reason }
  const row = encoder.encode({
    tools: conversation.tools.map((tool) => ({ ...tool, eager: false })),
    system: conversation.system,
    messages: [...conversation.messages, { role: 'assistant', blocks: answer }],
  })
  return typeof row === 'string' ? { skipped: row } : row
}
