// Passwords in statements that make or change users: `IDENTIFIED BY '...'`, also with the name of a plugin between.
import { isQuote, upper } from './characters.ts'
import { looksSecret } from './find-assigned-secret.ts'
import { argumentEnd, isPassword } from './find-command-password.ts'
import type { Findings } from './findings.ts'
import { blanksEnd, codeAt, flagsAt, hasText, type Page, runEnd, runOf } from './page.ts'

const gapMax = 8
const passwordMin = 6

/** At `identified by` and its end; what is stored of a password may stand in its place. */
export function findIdentifiedBy(page: Page, start: number, end: number, found: Findings): void {
  const value = blanksEnd(page, end, gapMax)
  if (hasText(page, value, 'values ')) take(page, start, blanksEnd(page, value + 6, gapMax), found)
  else if (!hasText(page, value, 'random ')) take(page, start, value, found)
}

/** At `identified with` and its end: the plugin and `by` or `as` follow. */
export function findIdentifiedWith(page: Page, start: number, end: number, found: Findings): void {
  const plugin = blanksEnd(page, end, gapMax)
  const from = isQuote(codeAt(page, plugin)) ? plugin + 1 : plugin
  let stop = runEnd(page, from, runOf.tokenic)
  if (from === plugin + 1 && codeAt(page, stop) === codeAt(page, plugin)) stop++
  const word = blanksEnd(page, stop, gapMax)
  if (stop === from || word === stop) return
  if (hasText(page, word, 'by ') || hasText(page, word, 'as ')) {
    take(page, start, blanksEnd(page, word + 2, gapMax), found)
  }
}

function take(page: Page, start: number, from: number, found: Findings): void {
  if (found.covers(start)) return
  const isQuoted = isQuote(codeAt(page, from))
  // In sentences somebody is identified by something too; in capitals it is a statement.
  const isStatement =
    (flagsAt(page, start) & upper) !== 0 && (flagsAt(page, start + 1) & upper) !== 0
  if (!isQuoted && !isStatement) return
  const value = isQuoted ? from + 1 : from
  const end = isQuoted ? argumentEnd(page, from) : runEnd(page, from, runOf.value)
  if (isStatement ? isPassword(page, value, end) : looksSecret(page, value, end, passwordMin)) {
    found.add('key', value, end)
  }
}
