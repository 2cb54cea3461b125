// A secret whose name is itself a value, with the secret in a field called `value` behind it: `name: TOKEN` and below it
// `value: ...`, as environments, headers and settings are often listed.
import { codeOf, flagsOf, isQuote, space, tokenic } from './characters.ts'
import { codeAt, flagsAt, hasText, type Page } from './page.ts'

const gapMax = 24
const fieldName = 'value'

/** Where the field goes on behind its sign, for a name that starts and ends here; -1 when none is paired with it. */
export function pairedValue(page: Page, start: number, end: number): number {
  let at = codeAt(page, end) === codeOf.comma ? end + 1 : end
  let leaves = false
  for (const from = at; at - from < gapMax && (flagsAt(page, at) & space) !== 0; at++) {
    leaves ||= codeAt(page, at) === codeOf.pageBreak
  }
  page.steps += at - end
  if (at === end || (leaves && !isWholeText(page, start))) return -1
  if (isQuote(codeAt(page, at))) at++
  if (!hasText(page, at, fieldName)) return -1
  at += fieldName.length
  if (isQuote(codeAt(page, at))) at++
  while (codeAt(page, at) === codeOf.space && at - end < 2 * gapMax) at++
  const sign = codeAt(page, at)
  return sign === codeOf.colon || sign === codeOf.equals ? at + 1 : -1
}

const textMax = 64

/** Whether nothing but the name is in its text, behind what that text goes by: one text says nothing of another else. */
function isWholeText(page: Page, start: number): boolean {
  const name = runStart(page, start)
  if (codeAt(page, name - 1) !== codeOf.space || codeAt(page, name - 2) !== codeOf.colon)
    return false
  const before = codeAt(page, runStart(page, name - 2) - 1)
  return before === 0 || before === codeOf.pageBreak
}

function runStart(page: Page, end: number): number {
  let at = end
  while (end - at < textMax && (flagsOf[codeAt(page, at - 1)]! & tokenic) !== 0) at--
  page.steps += end - at
  return at
}
