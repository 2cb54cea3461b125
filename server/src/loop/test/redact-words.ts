// Redacts what models and judges say in a test before it is stored.
import type { App } from '../../app.ts'
import { redactAnswer } from '../../samples/sample/redact-conversation.ts'
import type { ModelReply } from './judge/ask-model.ts'

/** An answer that cannot be redacted in time counts as none. */
export async function redactReply(app: App, reply: ModelReply): Promise<ModelReply> {
  if ('failed' in reply) return reply
  const { cost } = reply
  const blocks = await unlessItFails(app, () => redactAnswer(app.samples.redaction, reply.blocks))
  const why = 'The answer could not be searched for sensitive values in time.'
  return blocks ? { blocks, cost } : { failed: 'no_answer', why, away: false, cost }
}

/** Null for one that cannot be redacted in time. */
export function redactReason(app: App, reason: string | null): Promise<string | null> {
  return unlessItFails(app, () => app.samples.redaction.redact(reason))
}

async function unlessItFails<T>(app: App, redact: () => Promise<T>): Promise<T | null> {
  try {
    return await redact()
  } catch (error) {
    // Redaction ends with Hone, which says nothing about the text.
    if (app.operations.closing) throw error
    return null
  }
}
