// What an engine refused, as the refusal that its caller is told.
import { Refusal } from '../core/refusal.ts'
import type { EngineError } from '../engine/engine.ts'

export function refusalOf(error: EngineError): Refusal {
  const { message, param, tooLong } = error
  const named = param === undefined ? {} : { param }
  const code = tooLong ? 'context_length_exceeded' : 'invalid_value'
  return new Refusal(code, message, { ...named, cause: error })
}
