// Every way a model server can fail as an EngineError. Its raw error texts stay here; callers get our own sentences.
import { errors } from 'undici'
import { SseNotText, SseTooLarge } from '../../lib/sse.ts'
import { EngineError } from '../engine.ts'
import { notAnAnswer } from './read-json.ts'
import { retryAfterSeconds } from './retry-after.ts'

/** Of any status but those of a refusal, whose answer tells more. */
export function failureOfStatus(status: number, retryAfter?: unknown): EngineError {
  if (status === 429 || status === 503 || status === 529) {
    const seconds = retryAfterSeconds(retryAfter, Date.now())
    const known = seconds === undefined ? {} : { retryAfterSeconds: seconds }
    return new EngineError('overloaded', 'The model server is overloaded.', known)
  }
  const mayBeRequest = status === 500
  const message = `The model server answered with status ${status}.`
  return new EngineError('broken', message, { mayBeRequest })
}

const timeouts = [errors.HeadersTimeoutError, errors.BodyTimeoutError, errors.ConnectTimeoutError]

/** What a transport or a reader threw, in our own words. */
export function failureOfError(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  if (timeouts.some((kind) => error instanceof kind)) {
    return new EngineError('timeout', 'The model server did not answer in time.', { cause: error })
  }
  if (error instanceof SseTooLarge) {
    return new EngineError('broken', 'The model server sent an answer that is too large.')
  }
  if (error instanceof SseNotText) return notAnAnswer()
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code)) {
    return new EngineError('unreachable', 'The model server cannot be reached.', { cause: error })
  }
  return new EngineError('broken', 'The connection to the model server broke.', { cause: error })
}

/** What it began to say is not to be had, by its own word. */
export function failedInAnswer(options: { answerOnly?: boolean } = {}): EngineError {
  return new EngineError('broken', 'The model server failed while it was answering.', options)
}
