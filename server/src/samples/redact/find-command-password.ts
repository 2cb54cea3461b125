// Passwords on command lines, such as `curl -u name:password` and `mysql -ppassword`: the name of a program says what
// its flags mean up to the end of the command.
import { alnum, block, codeOf, digit, flagsOf, letter, lower, space } from './characters.ts'
import type { CommandFlags, FlagValue } from './command-flags.ts'
import { isPlaceholder, looksSecret } from './find-assigned-secret.ts'
import { findCookiePairs } from './find-cookie.ts'
import type { Findings } from './findings.ts'
import { codeAt, flagsAt, hasText, type Page, textOf } from './page.ts'

/** The longest flag that is looked up as a whole. */
const flagMax = 14
const passwordMin = 4
const passwordMax = 256
const apiKeyMin = 20
const gapMax = 8

/** At the name of a program and its end. */
export function readCommand(
  page: Page,
  start: number,
  end: number,
  flags: CommandFlags,
  found: Findings,
): void {
  // A name inside a value is not seen again when the value is replaced.
  if (found.covers(start) || !isProgramStart(codeAt(page, start - 1))) return
  const stop = codeAt(page, end) === codeOf.dot && hasText(page, end, '.exe') ? end + 4 : end
  if (codeAt(page, stop) !== codeOf.space) return
  page.command = flags
  if (flags.hasLogin) findLogin(page, loginStart(page, gapEnd(page, stop)), found)
}

const flagsBeforeMax = 4

/** Behind flags that have no value, as in `sqlplus -s -L name/password@place`. */
function loginStart(page: Page, from: number): number {
  let at = from
  for (let count = 0; count < flagsBeforeMax && codeAt(page, at) === codeOf.dash; count++) {
    let end = at
    while (end - at <= flagMax && isFlagPart(codeAt(page, end))) end++
    page.steps += end - at
    at = gapEnd(page, end)
  }
  return at
}

/** A name behind a dash or dot is part of another word. */
function isProgramStart(code: number): boolean {
  return (
    code === 0 ||
    code === codeOf.slash ||
    code === codeOf.backslash ||
    code === codeOf.dollar ||
    code === codeOf.parenthesis ||
    code === codeOf.colon ||
    code === codeOf.star ||
    code === codeOf.bar ||
    code === codeOf.ampersand ||
    code === codeOf.semicolon ||
    code === codeOf.backtick ||
    isQuote(code) ||
    (flagsOf[code]! & space) !== 0
  )
}

function isQuote(code: number): boolean {
  return code === codeOf.quote || code === codeOf.apostrophe
}

/** At the first dash behind a space or a quote, while a command is read. */
export function findFlagPassword(page: Page, start: number, found: Findings): void {
  const before = codeAt(page, start - 1)
  if (found.covers(start) || !((flagsOf[before]! & space) !== 0 || isQuote(before))) return
  const flags = page.command!
  let end = start
  while (end - start <= flagMax && isFlagPart(codeAt(page, end))) end++
  page.steps += end - start
  const whole = flags.words.size > 0 ? flags.words.get(textOf(page, start, end)) : undefined
  if (whole !== undefined) {
    takeBehind(page, end, whole, flags, found)
    return
  }
  const letterAt = codeAt(page, start + 1)
  const first = flags.letters.get(letterAt)
  const isJoined = !isCluster(page, start + 1, end) || !isArgumentEnd(codeAt(page, end))
  if (flags.joined === letterAt || (first !== undefined && isJoined)) {
    take(page, start + 2, first ?? 'password', found)
    return
  }
  const last = flags.letters.get(codeAt(page, end - 1))
  if (last !== undefined && !isJoined) takeBehind(page, end, last, flags, found)
}

/** At a word that the password follows at once, as `pass:` for some programs. */
export function findOpening(page: Page, start: number, end: number, found: Findings): void {
  const { command } = page
  if (command === null || found.covers(start)) return
  const from = codeAt(page, start - 1) === codeOf.slash ? start - 1 : start
  if (command.opening === textOf(page, from, end)) take(page, end, 'password', found)
}

function isFlagPart(code: number): boolean {
  return (flagsOf[code]! & alnum) !== 0 || code === codeOf.dash
}

const clusterMax = 5

/** Letters of one or several flags behind one dash. */
function isCluster(page: Page, start: number, end: number): boolean {
  if (end - start > clusterMax) return false
  for (let at = start; at < end; at++) if ((flagsAt(page, at) & letter) === 0) return false
  return end > start
}

/** At the end of a flag: its value stands behind a space or `=`. */
function takeBehind(
  page: Page,
  end: number,
  what: FlagValue,
  { isWord }: CommandFlags,
  found: Findings,
): void {
  if (codeAt(page, end) === codeOf.equals) {
    take(page, end + 1, what, found)
    return
  }
  const start = gapEnd(page, end)
  if (start === end) return
  if (isWord) {
    // Behind a name that is a plain word too, a word of small letters is one of the sentence.
    let at = start
    while (at - start < passwordMax && (flagsAt(page, at) & lower) !== 0) at++
    page.steps += at - start
    if (isArgumentEnd(codeAt(page, at))) return
  }
  take(page, start, what, found)
}

/** A backslash before a line break joins two lines. */
function gapEnd(page: Page, from: number): number {
  let at = from
  while (at - from < gapMax) {
    const code = codeAt(page, at)
    const isJoint = code === codeOf.backslash && codeAt(page, at + 1) === codeOf.newline
    const isBlank = code !== codeOf.newline && code !== codeOf.pageBreak
    if (isJoint) at += 2
    else if (isBlank && (flagsOf[code]! & space) !== 0) at++
    else break
  }
  page.steps += at - from
  return at
}

function isArgumentEnd(code: number): boolean {
  return (
    code === 0 ||
    code === block ||
    code === codeOf.bar ||
    code === codeOf.semicolon ||
    code === codeOf.backtick ||
    (flagsOf[code]! & space) !== 0
  )
}

/** At the first character of a value, or at its quote. */
function take(page: Page, from: number, what: FlagValue, found: Findings): void {
  const start = isQuote(codeAt(page, from)) ? from + 1 : from
  if (what === 'cookies') {
    if (start >= page.cookiesTo) findCookiePairs(page, start, found)
    return
  }
  const end = argumentEnd(page, from)
  const sign = what === 'password' ? start - 1 : signIn(page, start, end, what)
  if (sign === null) return
  if (sign < end - 1) {
    const password = sign + 1
    // The password alone may be in quotes.
    const isQuoted = password > from && isQuote(codeAt(page, password))
    const stop = isQuoted ? argumentEnd(page, password) : end
    takePassword(page, isQuoted ? password + 1 : password, stop, found)
  } else if (what !== 'password' && codeAt(page, end) !== block) {
    // Some services take a key in place of the name, and no password.
    if (looksSecret(page, start, sign, apiKeyMin)) found.add('key', start, sign)
  }
}

function takePassword(page: Page, start: number, end: number, found: Findings): void {
  if (isPassword(page, start, end)) found.add('key', start, end)
}

/** Where the value ends that begins here, without a quote behind it. */
export function argumentEnd(page: Page, from: number): number {
  const quote = codeAt(page, from)
  let at = from
  if (isQuote(quote)) {
    at++
    while (at - from < passwordMax && !endsQuoted(codeAt(page, at), quote)) at++
    page.steps += at - from
    if (codeAt(page, at) === quote) return at
    at = from + 1
  }
  while (at - from < passwordMax && !isArgumentEnd(codeAt(page, at))) at++
  page.steps += at - from
  if (at - from === passwordMax) return from
  // One that is around all of the command; what was replaced already ends no value.
  if (codeAt(page, at) !== block) while (at > from && isQuote(codeAt(page, at - 1))) at--
  return at
}

function endsQuoted(code: number, quote: number): boolean {
  return (
    code === quote ||
    code === 0 ||
    code === block ||
    code === codeOf.newline ||
    code === codeOf.pageBreak
  )
}

const signs = { colon: codeOf.colon, comma: codeOf.comma, percent: codeOf.percent }

function signIn(page: Page, start: number, end: number, what: keyof typeof signs): number | null {
  for (let at = start; at < end; at++) if (codeAt(page, at) === signs[what]) return at
  return null
}

/** `name/password@place`, or without a place. */
export function findLogin(page: Page, start: number, found: Findings): void {
  const end = argumentEnd(page, start)
  let divider = -1
  let stop = start
  while (stop < end && codeAt(page, stop) !== codeOf.at) {
    const code = codeAt(page, stop)
    if (code === codeOf.slash && divider === -1) divider = stop
    else if (divider === -1 && !isFlagPart(code) && code !== codeOf.underscore) return
    stop++
  }
  page.steps += stop - start
  if (divider <= start || !isPassword(page, divider + 1, stop)) return
  page.passwordAt = stop
  found.add('key', divider + 1, stop)
}

/** What documents have in its place, and nobody else. */
const words = new Set(['password', 'passwd', 'pass', 'pwd', 'string', 'token'])
const wordMax = 8
const portsMax = 11

/** Anything but what is to be filled in, and the number or pair of numbers of a port. */
export function isPassword(page: Page, start: number, end: number): boolean {
  if (end - start < passwordMin || codeAt(page, end) === block) return false
  if (isVariable(codeAt(page, start))) return false
  let isPort = end - start <= portsMax
  for (let at = start; isPort && at < end; at++) {
    const code = page.codes[at]!
    if ((flagsOf[code]! & digit) === 0 && code !== codeOf.colon) isPort = false
  }
  page.steps += end - start
  if (isPort || (end - start <= wordMax && words.has(textOf(page, start, end).toLowerCase())))
    return false
  return !isPlaceholder(page, start, end)
}

/** `$PASSWORD`, `<password>`, `{password}`, `[password]`, `%PASSWORD%`, `*****`, `-`. */
function isVariable(code: number): boolean {
  return (
    code === codeOf.dollar ||
    code === codeOf.brace ||
    code === codeOf.less ||
    code === codeOf.open ||
    code === codeOf.percent ||
    code === codeOf.star ||
    code === codeOf.dash
  )
}
