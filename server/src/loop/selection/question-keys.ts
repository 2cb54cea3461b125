// The keys by which the samples of one question find each other: what they hold is hashed, so that the keys may outlive the samples.
import { createHash, type Hash } from 'node:crypto'
import type { Block } from '../../core/block.ts'
import type { Conversation } from '../../samples/sample/conversation.ts'
import { foldedTurn } from './folded-turn.ts'

export const keyBytes = 16

/** Each key is a string with one character a byte. */
export type QuestionKeys = {
  /** Of the prompt. */
  prompt: string
  /** Of the prompt and an answer to it, for each answer. */
  full: string[]
  /** Of each beginning of the prompt that ends with a turn of the assistant: equal to `full` of the sample that the prompt goes on from. */
  prefix: string[]
}

/** Keys of other pipelines are others. The conversation is hashed once, however many turns it has. */
export function questionKeys(
  pipelineId: string,
  { system, messages }: Pick<Conversation, 'system' | 'messages'>,
  answers: readonly (readonly Block[])[],
): QuestionKeys {
  let said = createHash('sha256').update(pipelineId)
  let last = ''
  const prefix: string[] = []
  for (const { role, blocks } of [{ role: 'system', blocks: system }, ...messages]) {
    const turn = foldedTurn(role, blocks)
    if (turn === '') continue
    if (last === 'assistant' && role !== last) prefix.push(keyOf(said))
    said = saying(said, { last, role, turn })
    last = role
  }
  if (last === 'assistant') prefix.push(keyOf(said))
  const full = answers.flatMap((blocks) => {
    const turn = foldedTurn('assistant', blocks)
    return turn === '' ? [] : keyOf(saying(said.copy(), { last, role: 'assistant', turn }))
  })
  return { prompt: keyOf(said.copy().update('\0prompt')), full: [...new Set(full)], prefix }
}

/** Turns of one role that follow one another are one, because clients and templates join them. */
function saying(said: Hash, { last, role, turn }: Record<'last' | 'role' | 'turn', string>): Hash {
  return said.update(role === last ? turn : `\0${role}\0${turn}`)
}

function keyOf(said: Hash): string {
  return said.copy().digest('binary').slice(0, keyBytes)
}
