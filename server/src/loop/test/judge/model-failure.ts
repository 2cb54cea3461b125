// What the failure of a platform call says: of the question, or of the model for now. Everything else is no finding about either.
import { Refusal } from '../../../core/refusal.ts'
import { EngineError } from '../../../engine/engine.ts'

export type ModelFailure = {
  failed: 'no_answer' | 'too_long'
  /** A sentence. */
  why: string
  /** No server takes calls now, which says nothing about this one. */
  away: boolean
  /** How long to wait before another try; null where it would end the same. */
  pauseMs: number | null
}

/** Where a server does not say when to come back. */
const pauseMsDefault = 500
/** A server that wants to be left alone for longer has failed. */
const pauseMsMax = 20_000

/**
 * Null for what concerns Hone, the key or the name of the model: such a call says nothing about the sample, whose loss it would
 * otherwise be.
 */
export function modelFailure(error: unknown): ModelFailure | null {
  // It broke off in the middle of its answer, on all routes.
  if (error instanceof EngineError) return passing(error.message, error.retryAfterSeconds)
  if (!(error instanceof Refusal)) return null
  const { code, message, detail, status } = error
  if (code === 'context_length_exceeded') {
    return { failed: 'too_long', why: message, away: false, pauseMs: null }
  }
  if (status === 400) return noAnswer(message)
  if (code !== 'no_healthy_route' && code !== 'upstream_failed') return null
  if (detail.headers?.['x-should-retry'] === 'false') {
    return noAnswer(message)
  }
  if (code === 'upstream_failed') return passing(message, detail.retryAfterSeconds)
  const { cause } = detail
  // All rest: another try would not reach them.
  if (!(cause instanceof EngineError)) return { ...noAnswer(message), away: true }
  // What a refusal says by itself is an advice to clients, and longer than a server needs that failed only once.
  return { ...passing(message, cause.retryAfterSeconds), away: true }
}

function noAnswer(why: string): ModelFailure {
  return { failed: 'no_answer', why, away: false, pauseMs: null }
}

function passing(why: string, seconds: number | undefined): ModelFailure {
  const pauseMs = Math.min(pauseMsMax, seconds === undefined ? pauseMsDefault : seconds * 1000)
  return { ...noAnswer(why), pauseMs }
}
