// Cookies that keep somebody signed in, behind `Cookie:` and `Set-Cookie:` or where a program is given them. Others,
// such as a language or a consent, stay.
import {
  block,
  codeOf,
  digit,
  flagsOf,
  letter,
  lower,
  space,
  tokenic,
  upper,
} from './characters.ts'
import { isPlaceholder } from './find-assigned-secret.ts'
import type { Findings } from './findings.ts'
import { codeAt, flagsAt, type Page, runEnd, runOf } from './page.ts'
import { WordTrie } from './word-trie.ts'

/** Parts of names of cookies whose values are secrets even when they are short. */
const tellingNames = new WordTrie<true>()
for (const part of 'sess sid auth token csrf xsrf jwt remember login identity credential ticket'.split(
  ' ',
)) {
  tellingNames.add(part, true)
}
/** Between the word and the first name. */
const openingMax = 6
const cookieNameMax = 64
const namedMin = 8
const unnamedMin = 20
const lettersMin = 5
const lookedAt = 64

/** At the word and its end. All pairs up to the end of the line, or of the quotes around them, are looked at once. */
export function findCookies(page: Page, start: number, end: number, found: Findings): void {
  if (start < page.cookiesTo) return
  const first = openingEnd(page, start, end)
  if (first !== null) findCookiePairs(page, first, found)
}

/** At the first of them. */
export function findCookiePairs(page: Page, first: number, found: Findings): void {
  const quote = quoteBefore(page, first)
  let at = first
  while (at < page.length) {
    at = skipBlanks(page, at)
    const name = at
    while (at - name < cookieNameMax && !isNameEnd(codeAt(page, at))) at++
    if (codeAt(page, at) !== codeOf.equals) {
      page.steps += at - name
      at = name
      break
    }
    const value = ++at
    while (!isValueEnd(codeAt(page, at), quote)) at++
    findCookie(page, name, value, at, found)
    // Attributes such as `Secure` and dates with spaces are no pairs.
    while (!isPairEnd(codeAt(page, at), quote)) at++
    if (codeAt(page, at) !== codeOf.semicolon) break
    at++
  }
  page.steps += at - first
  page.cookiesTo = at
}

/** `Cookie: `, `"Cookie": "`, `--cookie "` and the like; null where none of them is. */
function openingEnd(page: Page, start: number, end: number): number | null {
  let at = end
  let isSet = codeAt(page, start - 1) === codeOf.dash && codeAt(page, start - 2) === codeOf.dash
  while (at - end < openingMax) {
    const code = codeAt(page, at)
    if (code === codeOf.colon || code === codeOf.equals) isSet = true
    else if (code !== codeOf.space && !isQuote(code)) break
    at++
  }
  page.steps += at - end
  return isSet && at > end ? at : null
}

/** The quote that opens the value, or 0. */
function quoteBefore(page: Page, at: number): number {
  const before = codeAt(page, at - 1)
  return isQuote(before) ? before : 0
}

function isQuote(code: number): boolean {
  return code === codeOf.quote || code === codeOf.apostrophe || code === codeOf.backtick
}

function skipBlanks(page: Page, from: number): number {
  let at = from
  while (codeAt(page, at) === codeOf.space) at++
  return at
}

/** Also at the end of the page, where the code is 0. */
function isNameEnd(code: number): boolean {
  return (
    code === 0 ||
    code === codeOf.equals ||
    code === codeOf.semicolon ||
    code === codeOf.colon ||
    code === codeOf.comma ||
    code === block ||
    isQuote(code) ||
    (flagsOf[code]! & space) !== 0
  )
}

function isValueEnd(code: number, quote: number): boolean {
  return (
    code === 0 ||
    code === codeOf.semicolon ||
    code === block ||
    code === quote ||
    (flagsOf[code]! & space) !== 0
  )
}

function isPairEnd(code: number, quote: number): boolean {
  return (
    code === 0 ||
    code === codeOf.semicolon ||
    code === codeOf.newline ||
    code === codeOf.pageBreak ||
    code === quote
  )
}

function findCookie(page: Page, name: number, start: number, end: number, found: Findings): void {
  let [from, to] = [start, end]
  // Quotes around a value are no part of it, nor is the quote or the full stop behind the last.
  if (codeAt(page, from) === codeOf.quote) from++
  while (to > from && isTrailing(codeAt(page, to - 1))) to--
  const isTelling = hasTellingName(page, name, start - 1)
  if (to - from < (isTelling ? namedMin : unnamedMin) || codeAt(page, end) === block) return
  if (isSecret(page, from, to, isTelling)) found.add('key', from, to)
}

function isTrailing(code: number): boolean {
  return isQuote(code) || code === codeOf.dot || code === codeOf.comma || code === 41
}

function hasTellingName(page: Page, start: number, end: number): boolean {
  for (let at = Math.max(start, end - lookedAt); at < end; at++) {
    if (tellingNames.begins(page, at)) return true
  }
  return false
}

/** Letters and digits, or letters of both cases; unless the name tells enough, as mixed as chance makes them. */
function isSecret(page: Page, start: number, end: number, isTelling: boolean): boolean {
  const first = codeAt(page, start)
  // Something that is to be filled in.
  if (first === 36 || first === 123 || first === codeOf.less || first === codeOf.open) return false
  let digits = 0
  let letters = 0
  let cases = 0
  let run = 0
  let longest = 0
  const stop = Math.min(end, start + lookedAt)
  for (let at = start; at < stop; at++) {
    const flags = flagsAt(page, at)
    if ((flags & digit) !== 0) digits++
    if ((flags & letter) !== 0) letters++
    cases |= flags & (upper | lower)
    run = (flags & tokenic) !== 0 ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  page.steps += stop - start
  const isOfBothCases = cases === (upper | lower)
  const isMade = (digits > 0 && letters > 0) || isOfBothCases || digits >= unnamedMin
  if (!isMade || isPlaceholder(page, start, stop)) return false
  if (isTelling) return true
  if (longest < unnamedMin || digits < 3 || letters < lettersMin) return false
  return isOfBothCases || runEnd(page, start, runOf.plain) - start >= unnamedMin
}
