// Passwords as they are kept: hashes in the formats of crypt and its followers, `$6$<salt>$<hash>`, and of directories,
// `{SSHA}<hash>`. Whoever has one can try passwords on it for as long as it takes.
import { base64, codeOf, flagsOf, tokenic } from './characters.ts'
import type { Findings } from './findings.ts'
import { codeAt, endsWord, isMixed, type Page, runEnd, runOf } from './page.ts'

export type HashFormat = {
  /** From the start of a word to behind the sign that ends the name of the format. */
  opening: string
  /** The sign that must stand before it; 0 for none. */
  sign: number
  /** How long the hash is: exactly, or at least. */
  length: number
  isExact: boolean
}

const formats = (openings: string, sign: number, length: number, isExact: boolean): HashFormat[] =>
  openings.split(' ').map((opening) => ({ opening, sign, length, isExact }))

export const hashFormats: HashFormat[] = [
  ...formats('2a$ 2b$ 2x$ 2y$', codeOf.dollar, 53, true),
  ...formats('1$ apr1$', codeOf.dollar, 22, true),
  ...formats('5$ 7$ y$ gy$', codeOf.dollar, 43, true),
  ...formats('6$', codeOf.dollar, 86, true),
  ...formats('argon2i$ argon2d$ argon2id$ scrypt$', codeOf.dollar, 20, false),
  ...formats('pbkdf2$ pbkdf2-sha1$ pbkdf2-sha256$ pbkdf2-sha512$', 0, 20, false),
  ...formats('pbkdf2:sha1: pbkdf2:sha256: pbkdf2:sha512: scrypt:', 0, 40, false),
  ...formats('ssha} ssha256} ssha512} smd5}', codeOf.brace, 24, false),
]

const fieldMax = 64
/** The version, the costs, the salt. */
const fieldsMax = 3

/** At the end of what names the format. */
export function findPasswordHash(
  page: Page,
  start: number,
  end: number,
  { sign, length, isExact }: HashFormat,
  found: Findings,
): void {
  if (sign !== 0 && codeAt(page, start - 1) !== sign) return
  const from = sign === codeOf.brace ? end : hashStart(page, end)
  if (from === -1) return
  const stop = isExact ? from + length : runEnd(page, from, runOf.wideDotted)
  if (stop - from < length || stop > page.length || !endsWord(page, stop)) return
  if (isExact && !isOfHash(page, from, stop)) return
  const hasSign = sign !== 0 || codeAt(page, start - 1) === codeOf.dollar
  if (isMixed(page, from, stop)) found.add('key', hasSign ? start - 1 : start, stop)
}

/** Behind the last of the fields that are divided by `$`; -1 where there is none. */
function hashStart(page: Page, start: number): number {
  let from = -1
  let field = start
  for (let count = 0; count < fieldsMax; count++) {
    let at = field
    while (at - field <= fieldMax && isFieldSign(codeAt(page, at))) at++
    page.steps += at - field
    if (at === field || codeAt(page, at) !== codeOf.dollar) break
    from = field = at + 1
  }
  return from
}

function isFieldSign(code: number): boolean {
  return isHashSign(code) || code === codeOf.comma || code === codeOf.colon
}

function isHashSign(code: number): boolean {
  return (flagsOf[code]! & (tokenic | base64)) !== 0 || code === codeOf.dot
}

function isOfHash(page: Page, start: number, end: number): boolean {
  page.steps += end - start
  for (let at = start; at < end; at++) if (!isHashSign(page.codes[at]!)) return false
  return true
}
