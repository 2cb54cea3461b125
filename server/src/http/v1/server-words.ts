// What a model server wrote when it refused a request, as it may be logged. It may quote keys and the prompt, so that it is
// redacted first, and cut short.
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { EngineError } from '../../engine/engine.ts'

/** So much is read, and so much of what is left is logged. */
const readCharactersMax = 4000
const loggedCharactersMax = 500

/** Undefined where there is nothing to log, or it could not be redacted. */
export async function serverWordsIn(app: App, error: unknown): Promise<string | undefined> {
  const cause = error instanceof Refusal ? error.detail.cause : error
  if (!(cause instanceof EngineError) || cause.serverWords === undefined) return undefined
  try {
    const words = await app.samples.redaction.redact(cause.serverWords.slice(0, readCharactersMax))
    return words.slice(0, loggedCharactersMax)
  } catch {
    return undefined
  }
}
