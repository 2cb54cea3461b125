// The password of a URL, or the secret that stands in its place.
import { block, codeOf, flagsOf, isQuote, space } from './characters.ts'
import { looksSecret } from './find-assigned-secret.ts'
import type { Findings } from './findings.ts'
import { codeAt, isEscaped, type Page } from './page.ts'

const authorityMax = 512

function endsAuthority(code: number): boolean {
  return (
    code === codeOf.slash ||
    code === 63 ||
    code === 35 ||
    isQuote(code) ||
    code === codeOf.less ||
    code === codeOf.greater ||
    (flagsOf[code]! & space) !== 0
  )
}

/** At the colon of `://`: the password of `scheme://name:password@host`, or a long secret that stands for both. */
export function findUrlPassword(page: Page, colon: number, found: Findings): void {
  let at = colon + 3
  const start = at
  let divider = -1
  let end = -1
  // In a URL that is not escaped as a whole, what is escaped is part of the name or password.
  const mayEscape = !isEscaped(page, colon + 1)
  while (at < page.length && at - start < authorityMax) {
    const code = page.codes[at]!
    if (code === block) break
    if (endsAuthority(code) && !(mayEscape && isEscaped(page, at))) break
    if (code === codeOf.colon && divider === -1) divider = at
    if (code === codeOf.at) end = at
    at++
  }
  page.steps += at - colon
  // A password that was replaced already leaves nothing else here.
  if (end === -1 || (codeAt(page, at) === block && divider === at - 1)) return
  const password = divider !== -1 && divider < end ? divider + 1 : -1
  const first = codeAt(page, password === -1 ? start : password)
  // `$PASSWORD`, `{password}` and `[password]` stand for one.
  if (first === 36 || first === 123 || first === codeOf.open || first === codeOf.star) return
  if (password === -1 ? !looksSecret(page, start, end, 20) : password === end) return
  page.passwordAt = end
  found.add('key', password === -1 ? start : password, end)
}
