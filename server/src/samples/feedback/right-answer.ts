// The right answer to the question of a sample, by the feedback that counts on it.
import type { Giver, Verdict } from '#contract/sample.ts'
import type { Block } from '../../core/block.ts'
import type { Conversation } from '../sample/conversation.ts'

export type CountingFeedback = {
  verdict: Verdict | null
  verdictBy: Giver | null
  correction: string | null
}

export type RightAnswer = {
  blocks: Block[]
  /** False where only a judge has said so. */
  gold: boolean
}

/** Null where there is none. A judge's score of 0.8 or more counts as the verdict `accepted`. */
export function rightAnswer(
  { answer }: Pick<Conversation, 'answer'>,
  { verdict, verdictBy, correction }: CountingFeedback,
): RightAnswer | null {
  const gold = verdictBy !== 'judge'
  if (verdict === 'edited' && correction !== null) {
    return { blocks: [{ type: 'text', text: correction }], gold }
  }
  return verdict === 'accepted' && answer !== null ? { blocks: answer, gold } : null
}
