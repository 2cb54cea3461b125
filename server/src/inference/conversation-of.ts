// What makes two calls one conversation: the caller's own name for it, else the system prompt and the first message
// (spec 1, conversation routing).
import { createHash } from 'node:crypto'
import type { CallRequest } from '../core/request.ts'

export function conversationOf(request: CallRequest, workspaceId: string): string {
  const hash = createHash('sha256').update(`${workspaceId}\n${request.model}\n`)
  if (request.conversation !== null) return hash.update(request.conversation).digest('base64')
  hash.update(JSON.stringify(request.system.map((block) => block.text)))
  const [first] = request.messages
  // No engine takes the name that it may have.
  const said = first ? { role: first.role, blocks: first.blocks } : null
  return hash.update(JSON.stringify(said, withoutMarks)).digest('base64')
}

/** A breakpoint moves forward as the conversation grows, which does not make it another one. */
function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache' ? undefined : value
}
