// Texts that are too short to be anything, which nobody needs to look at.
import { codeOf } from './characters.ts'

/** Nothing but `::1` is shorter. */
const valueMin = 6

/** For a part of a text, which may have escapes: they only make it longer than what it says. */
export function isTooShort(text: string, start = 0, end = text.length): boolean {
  if (end - start >= valueMin) return false
  for (let at = start + 1; at < end; at++) {
    if (text.charCodeAt(at) === codeOf.colon && text.charCodeAt(at - 1) === codeOf.colon)
      return false
  }
  return true
}

/** Of JSON: shorter ones are nothing, not even a password. */
export const jsonNumberMin = 6
