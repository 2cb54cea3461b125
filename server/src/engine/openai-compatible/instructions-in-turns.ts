// Instructions amid a conversation, for servers whose model takes a system prompt only before it, as Qwen's, Gemma's and
// Mistral's do: there they are words of the user's turn beside them, and no turn follows another of the same role.
import type { Message } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'

export function hasInstructions({ messages }: CallRequest): boolean {
  return messages.some(({ role }) => role === 'system')
}

export function instructionsInTurns(request: CallRequest): CallRequest {
  const turns: Message[] = []
  for (const { role, blocks } of request.messages) {
    const last = turns.at(-1)
    if (role === 'assistant') turns.push({ role, blocks })
    else if (last?.role === 'user') last.blocks.push(...blocks)
    // A list of its own, because the request keeps its turns as they are.
    else turns.push({ role: 'user', blocks: [...blocks] })
  }
  return { ...request, messages: turns }
}
