// Keys and tokens of known vendors, found from how they begin.
import { base64, block, codeOf, digit, flagsOf, letter, lower, tokenic } from './characters.ts'
import { about, type Findings } from './findings.ts'
import {
  codeAt,
  endsWord,
  flagsAt,
  isMixed,
  isUuid,
  type Page,
  runEnd,
  runOf,
  textOf,
} from './page.ts'
import type { TokenFormat } from './token-formats.ts'

export function findToken(
  page: Page,
  start: number,
  body: number,
  format: TokenFormat,
  found: Findings,
): void {
  if (!startsExactly(page, start, format.prefix)) return
  const end = runEnd(page, body, format.of)
  const length = end - body
  if (length < format.min || (format.max !== undefined && length > format.max)) return
  if (format.mixed && !isMixedAs(page, body, end, format)) return
  if (!endsWord(page, end)) return
  if (format.capitals && !isCapital(page, body, end)) return
  if (format.uuid && !isUuid(page, body)) return
  found.add(format.kind, start, end)
}

function isMixedAs(page: Page, start: number, end: number, format: TokenFormat): boolean {
  if (format.capitals) return hasDigit(page, start, end)
  if (format.of !== runOf.hex) return isMixed(page, start, end, format.casedMin)
  let digits = 0
  for (let at = start; at < start + 32; at++) if ((flagsAt(page, at) & digit) !== 0) digits++
  page.steps += 32
  return digits > 4 && digits < 30
}

function startsExactly(page: Page, start: number, prefix: string): boolean {
  for (let i = prefix.length - 1; i >= 0; i--) {
    if (page.codes[start + i] !== prefix.charCodeAt(i)) return false
  }
  return true
}

const capitalsSeen = 64

function hasDigit(page: Page, start: number, end: number): boolean {
  const stop = Math.min(end, start + capitalsSeen)
  page.steps += stop - start
  for (let at = start; at < stop; at++) if ((flagsAt(page, at) & digit) !== 0) return true
  return false
}

/** No small letters, as far as it is looked at. */
function isCapital(page: Page, start: number, end: number): boolean {
  const stop = Math.min(end, start + capitalsSeen)
  page.steps += stop - start
  for (let at = start; at < stop; at++) if ((flagsAt(page, at) & lower) !== 0) return false
  return true
}

/** `123456789:AA...`, the token of a Telegram bot, at its first digit. */
export function findTelegramToken(page: Page, start: number, colon: number, found: Findings): void {
  const length = colon - start
  if (length < 8 || length > 10 || codeAt(page, colon) !== codeOf.colon) return
  const end = runEnd(page, colon + 1, runOf.tokenic)
  const body = end - colon - 1
  if (body < 34 || body > 36 || !endsWord(page, end)) return
  if (isMixed(page, colon + 1, end)) found.add('key', start, end)
}

/** `<id>.<time>.<signature>`, the token of a Discord bot, whose encoded id begins with M, N or O. */
export function findDiscordToken(page: Page, start: number, found: Findings): void {
  const first = runEnd(page, start, runOf.tokenic)
  if (first - start < 23 || first - start > 28 || codeAt(page, first) !== codeOf.dot) return
  const second = runEnd(page, first + 1, runOf.tokenic)
  if (second - first < 6 || second - first > 8 || codeAt(page, second) !== codeOf.dot) return
  const end = runEnd(page, second + 1, runOf.tokenic)
  const length = end - second - 1
  if (length < 27 || length > 40 || !endsWord(page, end)) return
  if (isMixed(page, start, first)) found.add('key', start, end)
}

/** `Bearer ...` at the end of the word. */
export function findBearer(page: Page, end: number, found: Findings): void {
  const start = skipGap(page, end)
  if (start === end) return
  let stop = start
  while (stop < page.length && isCredential(page.codes[stop]!)) stop++
  page.steps += stop - start
  if (codeAt(page, stop) === block) return
  while (stop > start && codeAt(page, stop - 1) === codeOf.dot) stop--
  if (stop - start >= 16 && isMixed(page, start, stop)) found.add('key', start, stop)
}

const schemeMax = 16

/** `Authorization: Token ...` and other schemes, at the end of the first word; any quotes may stand between. */
export function findAuthorization(page: Page, end: number, found: Findings): void {
  let at = end
  let isSet = false
  while (at - end < 6 && isBeforeScheme(codeAt(page, at))) {
    isSet ||= codeAt(page, at) === codeOf.colon || codeAt(page, at) === codeOf.equals
    at++
  }
  const scheme = at
  while (at - scheme < schemeMax && (flagsAt(page, at) & letter) !== 0) at++
  page.steps += at - end
  if (isSet && at > scheme) findBearer(page, at, found)
}

function isBeforeScheme(code: number): boolean {
  return (
    code === codeOf.colon ||
    code === codeOf.equals ||
    code === codeOf.space ||
    code === codeOf.quote ||
    code === codeOf.apostrophe
  )
}

function isCredential(code: number): boolean {
  return (flagsOf[code]! & (tokenic | base64)) !== 0 || code === codeOf.dot || code === 126
}

/** `Authorization: Basic ...`: a name and password, encoded. */
export function findBasic(page: Page, end: number, found: Findings): void {
  const start = skipGap(page, end)
  if (start > end) findEncodedLogin(page, start, found)
}

const beforeLoginMax = 6

/** `"auth": "..."` of Docker and `_auth=...` of npm, at the sign behind the name. */
export function findAuth(page: Page, sign: number, found: Findings): void {
  let start = sign
  while (start - sign < beforeLoginMax && isBeforeScheme(codeAt(page, start))) start++
  findEncodedLogin(page, start, found)
}

function findEncodedLogin(page: Page, start: number, found: Findings): void {
  const stop = runEnd(page, start, runOf.base64)
  if (stop - start < 8 || stop - start > 512) return
  if (codeAt(page, stop) === block) return
  const decoded = Buffer.from(textOf(page, start, stop), 'base64').toString('latin1')
  if (/^[\x20-\x7e]+:[\x20-\x7e]+$/.test(decoded)) found.add('key', start, stop)
}

/** The hash in a header of digest authentication, behind its opening quote. */
export function findDigestResponse(page: Page, start: number, found: Findings): void {
  const end = runEnd(page, start, runOf.hex)
  const isHash = end - start === 32 || end - start === 64
  if (isHash && codeAt(page, end) === codeOf.quote) found.addNear(about.digest, 'key', start, end)
}

function skipGap(page: Page, at: number): number {
  let next = at
  while (next - at < 3 && codeAt(page, next) === codeOf.space) next++
  return next
}
