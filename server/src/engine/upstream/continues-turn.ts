// Whether a model is to go on with what the assistant has begun to say.
import type { CallRequest } from '../../core/request.ts'

export function continuesTurn({ messages }: CallRequest): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.blocks.every(({ type }) => type !== 'tool-call')
}
