// A value without quotes that has `&` in it, as `DB_PASSWORD=S3c&ret9x`. In the query of a URL and in a form `&` ends a
// value, since the next name follows; so does `&&`, which joins commands and conditions.
import { block, codeOf, digit, flagsOf, tokenic, valueEnd } from './characters.ts'
import { codeAt, flagsAt, type Page } from './page.ts'

const nameMax = 64
/** Without a digit so near its start it may be two names of a program. */
const digitWithin = 32

/** Where it ends whose part up to the first `&` ends at `stop`; the same where that is all of it. */
export function ampersandsStop(page: Page, name: number, value: number, stop: number): number {
  if (stop === value || codeAt(page, stop) !== codeOf.ampersand || isInQuery(page, name))
    return stop
  const end = joinedEnd(page, value, stop)
  // What was replaced already ends no value.
  if (codeAt(page, end) === block) return stop
  const near = Math.min(end, value + digitWithin)
  page.steps += near - value
  for (let at = value; at < near; at++) if ((flagsAt(page, at) & digit) !== 0) return end
  return stop
}

/** Whether a name or a part of one stands behind the sign that begins a query or divides its pairs. */
function isInQuery(page: Page, name: number): boolean {
  let at = name - 1
  while (name - at < nameMax && isNamePart(codeAt(page, at))) at--
  page.steps += name - at
  return codeAt(page, at) === questionMark || codeAt(page, at) === codeOf.ampersand
}

/** A stretch is walked once, however many names stand in it. */
function joinedEnd(page: Page, value: number, stop: number): number {
  const { joined } = page
  if (value >= joined.start && value < joined.end) return joined.end
  let end = stop
  for (; end < page.length; end++) {
    const code = page.codes[end]!
    if (code === codeOf.ampersand) {
      if (endsAt(page, end)) break
    } else if ((flagsOf[code]! & valueEnd) !== 0) break
  }
  page.steps += end - stop
  joined.start = value
  joined.end = end
  return end
}

/** Whether what follows the sign is the end, another one, or the next name with its `=`. */
function endsAt(page: Page, ampersand: number): boolean {
  const first = ampersand + 1
  if (first >= page.length || (flagsAt(page, first) & valueEnd) !== 0) return true
  let at = first
  while (at - first < nameMax && isNamePart(codeAt(page, at))) at++
  page.steps += at - first
  return at > first && codeAt(page, at) === codeOf.equals && codeAt(page, at + 1) !== codeOf.equals
}

const questionMark = 63

/** Names of fields may have dots and brackets. */
function isNamePart(code: number): boolean {
  return (
    (flagsOf[code]! & tokenic) !== 0 ||
    code === codeOf.dot ||
    code === codeOf.open ||
    code === codeOf.open + 2
  )
}
