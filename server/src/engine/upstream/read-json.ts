// Reading what a model server sent: it is trusted no more than any other outside.
import { isObject, type Json } from '../../lib/json-object.ts'
import { EngineError } from '../engine.ts'

/** No real call has more; a count beyond it is a mistake and never becomes a bill. */
const tokensMax = 100_000_000

export function parseObject(data: string): Json {
  try {
    const value: unknown = JSON.parse(data)
    if (isObject(value)) return value
  } catch {
    // Falls through to the same error.
  }
  throw notAnAnswer()
}

export function tokenCount(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= tokensMax) {
    return value
  }
  throw new EngineError('broken', 'The model server reported an invalid token count.')
}

export function notAnAnswer(): EngineError {
  return new EngineError('broken', 'The model server sent a response that is not a valid answer.')
}

export function noUsageReported(): EngineError {
  return new EngineError('broken', 'The model server did not report how many tokens it used.')
}

export function cutShort(): EngineError {
  return new EngineError('broken', 'The model server stopped in the middle of its answer.')
}
