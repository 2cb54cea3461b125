// What the doors of the loop need of redaction: any JSON value in, the same value without what is sensitive out.
import { Refusal } from '../../core/refusal.ts'

export interface Redaction {
  /** Fails when it cannot be done in time; what was not redacted must not be stored. */
  redact<T>(value: T): Promise<T>
}

const retryAfterSeconds = 2

/** For somebody who waits for the answer. */
export function redactingOrRefusing(redaction: Redaction): Redaction {
  return {
    async redact(value) {
      try {
        return await redaction.redact(value)
      } catch (error) {
        throw new Refusal(
          'UNAVAILABLE',
          'The text could not be searched for sensitive values in time, so nothing was stored; try again in a moment.',
          { retryAfterSeconds, cause: error },
        )
      }
    },
  }
}
