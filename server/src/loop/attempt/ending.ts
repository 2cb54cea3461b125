// How an attempt ends, where little is to be said about it.
import type { Closing } from './attempt.ts'

const quiet: Omit<Closing, 'result' | 'why'> = {
  error_code: null,
  detail: null,
  marks_back: false,
  pause: false,
  charge: false,
  decision: null,
  waits: false,
}

export function ending(
  result: Closing['result'],
  why: string,
  more: Partial<typeof quiet> = {},
): Closing {
  return { ...quiet, result, why, ...more }
}
