// How an attempt ends, where little is to be said about it.
import type { Closing } from './attempt.ts'

export function ending(
  result: Closing['result'],
  why: string,
  more: {
    code?: string
    detail?: string
    marksBack?: boolean
    pause?: boolean
    charge?: boolean
  } = {},
): Closing {
  const { code = null, detail = null, marksBack = false, pause = false, charge = false } = more
  return { result, error_code: code, detail, why, marks_back: marksBack, pause, charge }
}
