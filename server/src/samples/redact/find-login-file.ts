// Passwords in files that programs sign in with: the entries of a .netrc, and the lines of a .pgpass.
import { block, codeOf, flagsOf, isQuote, space, tokenic } from './characters.ts'
import { looksSecret } from './find-assigned-secret.ts'
import { isPassword } from './find-command-password.ts'
import type { Findings } from './findings.ts'
import { blanksEnd, codeAt, hasText, type Page, textOf } from './page.ts'

const gapMax = 24
const wordMax = 256
const secretMin = 6
/** Login, account and password, each with its name. */
const pairsMax = 3

/** At `machine` and its end: a place follows, then names with their values, on one line or several. */
export function findMachine(page: Page, end: number, found: Findings): void {
  const place = blanksEnd(page, end, gapMax)
  let at = wordEnd(page, place)
  if (place === end || at === place) return
  let hasLogin = false
  for (let pair = 0; pair < pairsMax; pair++) {
    const name = blanksEnd(page, at, gapMax)
    const value = blanksEnd(page, wordEnd(page, name), gapMax)
    const stop = wordEnd(page, value)
    if (name === at || stop === value || codeAt(page, stop) === block) return
    const called = textOf(page, name, Math.min(wordEnd(page, name), name + 10)).toLowerCase()
    if (called === 'password' || called === 'passwd') {
      // A sentence may have all these words, but neither an address nor a password among them.
      const isEntry = isPlace(page, place) ? isPassword : isSecret
      if (hasLogin && isEntry(page, value, stop)) found.add('key', value, stop)
      return
    }
    if (called === 'login' || called === 'user') hasLogin = true
    else if (called !== 'account') return
    at = stop
  }
}

function isSecret(page: Page, start: number, end: number): boolean {
  return looksSecret(page, start, end, secretMin)
}

function isPlace(page: Page, start: number): boolean {
  const end = wordEnd(page, start)
  for (let at = start + 1; at < end - 1; at++) if (codeAt(page, at) === codeOf.dot) return true
  return hasText(page, start, 'localhost')
}

function wordEnd(page: Page, from: number): number {
  let at = from
  while (at - from < wordMax && !endsWord(codeAt(page, at))) at++
  page.steps += at - from
  return at
}

function endsWord(code: number): boolean {
  return code === 0 || code === block || (flagsOf[code]! & space) !== 0
}

const hostMax = 128

/** `host:port:database:user:password`, at the four digits of a port that such databases listen on. */
export function findPgpass(page: Page, start: number, end: number, found: Findings): void {
  if (codeAt(page, start - 1) !== codeOf.colon || codeAt(page, end) !== codeOf.colon) return
  if (!hasText(page, start, '54') && !hasText(page, start, '6432')) return
  if (!hasHost(page, start - 1)) return
  const user = fieldEnd(page, end + 1) + 1
  const password = fieldEnd(page, user) + 1
  if (codeAt(page, user - 1) !== codeOf.colon || codeAt(page, password - 1) !== codeOf.colon) return
  if (user === end + 2 || password === user + 1) return
  let stop = password
  while (stop - password < wordMax && !endsField(codeAt(page, stop))) stop++
  page.steps += stop - password
  if (isPassword(page, password, stop)) found.add('key', password, stop)
}

function hasHost(page: Page, end: number): boolean {
  let at = end - 1
  while (end - at < hostMax && isHostPart(codeAt(page, at))) at--
  page.steps += end - at
  const before = codeAt(page, at)
  return at < end - 1 && (before === 0 || isQuote(before) || (flagsOf[before]! & space) !== 0)
}

function isHostPart(code: number): boolean {
  return (flagsOf[code]! & tokenic) !== 0 || code === codeOf.dot || code === codeOf.star
}

/** No further than one colon; one that is part of a name has a backslash before it. */
function fieldEnd(page: Page, from: number): number {
  let at = from
  while (at - from < hostMax && codeAt(page, at) !== codeOf.colon && !endsField(codeAt(page, at))) {
    at += codeAt(page, at) === codeOf.backslash ? 2 : 1
  }
  page.steps += at - from
  return at
}

function endsField(code: number): boolean {
  return endsWord(code) || isQuote(code)
}
