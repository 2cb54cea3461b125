// Passwords and secrets that are told by the name they are given: `password=...`, `"api_key": "..."`, `--token ...`,
// and the password in a URL.
import { block, codeOf, digit, flagsOf, letter, lower, space, upper } from './characters.ts'
import type { Findings } from './findings.ts'
import type { Kind } from './kinds.ts'
import { codeAt, hasText, type Page, runEnd, runOf } from './page.ts'
import { WordTrie } from './word-trie.ts'

/** How much a name promises: what is called a password may be short, what is called a token must look like one. */
export type Assignment = { name: string; min: number; kind: Kind }

const names = (list: string, min: number, kind: Kind): Assignment[] =>
  list.split(' ').map((name) => ({ name: name.replaceAll('_', ' '), min, kind }))

/** A space in a name stands for a space, `-` or `_`. */
export const assignments: Assignment[] = [
  ...names('password passwd passwort passphrase passcode pwd kennwort contraseña senha', 6, 'key'),
  ...names(
    'db_pass user_pass userpass dbpass rootpass pgpassword pass mot_de_passe пароль 密码',
    6,
    'key',
  ),
  ...names('secret client_secret clientsecret app_secret appsecret shared_secret', 10, 'key'),
  ...names('api_key apikey api_token apitoken api_secret apisecret auth_key authkey', 10, 'key'),
  ...names('secret_key secretkey signing_key encryption_key master_key webhook_secret', 10, 'key'),
  ...names('access_key accesskey access_token accesstoken refresh_token refreshtoken', 12, 'key'),
  ...names(
    'auth_token authtoken bot_token session_token id_token bearer_token csrf_token',
    12,
    'key',
  ),
  ...names('private_token deploy_token personal_access_token webhook_token x_api_key', 12, 'key'),
  ...names('token session_id sessionid session_secret credential credentials', 20, 'key'),
  ...names('authorization', 20, 'key'),
  ...names(
    'aws_secret_access_key secret_access_key aws_session_token secretaccesskey',
    16,
    'cloud_key',
  ),
  ...names('private_key_id account_key storage_key', 16, 'cloud_key'),
  // Without the lines around it; no path or other thing that is called so is that long.
  ...names('private_key privatekey', 40, 'private_key'),
]

const quotedMax = 256
const lookedAt = 32
const unbrokenMin = 16

/** At the end of the name. */
export function findAssigned(
  page: Page,
  start: number,
  end: number,
  { min, kind }: Assignment,
  found: Findings,
): void {
  const value = valueStart(page, start, end, min)
  if (value === null || value < page.takenTo) return
  const stop = valueStop(page, value)
  if (!looksSecret(page, value, stop, min)) return
  found.add(kind, value, stop)
  page.takenTo = stop
}

function valueStart(page: Page, start: number, end: number, min: number): number | null {
  // Between the name and the sign, and between the sign and the value, either may be in bold.
  let at = skipStars(page, end)
  if (isQuote(codeAt(page, at)) || codeAt(page, at) === 93) at++
  if (isQuote(codeAt(page, at))) at++
  const gap = skipSpaces(page, at)
  const code = codeAt(page, gap)
  let after: number
  if (code === codeOf.colon || code === codeOf.equals) {
    after = gap + 1
    const more = codeAt(page, after)
    if (more === codeOf.equals || more === codeOf.greater) after++
    else after = skipStars(page, after)
  } else if (code === codeOf.bar) after = gap + 1
  else if (code === codeOf.greater && gap === end && codeAt(page, start - 1) === codeOf.less)
    after = gap + 1
  else if (gap > at && min <= 10 && hasText(page, gap, 'is ')) after = gap + 3
  else if (gap > at && min <= 10 && hasText(page, gap, 'is: ')) after = gap + 4
  else if (
    gap > at &&
    codeAt(page, start - 1) === codeOf.dash &&
    codeAt(page, start - 2) === codeOf.dash
  )
    after = gap
  else return null
  const value = skipStars(page, skipSpaces(page, after))
  if (code === codeOf.colon && codeAt(page, after) === codeOf.slash) return null
  return isQuote(codeAt(page, value)) ? value + 1 : value
}

/** Of bold and slanted text together. */
const starsMax = 3

function skipStars(page: Page, at: number): number {
  let next = at
  while (next - at < starsMax && codeAt(page, next) === codeOf.star) next++
  return next
}

function skipSpaces(page: Page, at: number): number {
  let next = at
  while (next - at < 3 && codeAt(page, next) === codeOf.space) next++
  return next
}

function isQuote(code: number): boolean {
  return code === codeOf.quote || code === codeOf.apostrophe || code === codeOf.backtick
}

function valueStop(page: Page, start: number): number {
  const opening = codeAt(page, start - 1)
  let end = start
  if (isQuote(opening)) {
    while (end < page.length && end - start < quotedMax) {
      const code = page.codes[end]!
      if (code === opening || (flagsOf[code]! & space) !== 0 || code === block) break
      end++
    }
    page.steps += end - start
    if (codeAt(page, end) === opening) return end
  }
  end = runEnd(page, start, runOf.value)
  return opening === codeOf.star ? withoutStars(page, start, end) : end
}

function withoutStars(page: Page, start: number, end: number): number {
  let stop = end
  while (end - stop < starsMax && stop > start && codeAt(page, stop - 1) === codeOf.star) stop--
  return stop
}

/** Parts of what stands for a secret that is to be filled in. */
const placeholders = new WordTrie<true>()
for (const part of 'your example placeholder changeme change-me xxxx *** ... process.env getenv environ'.split(
  ' ',
)) {
  placeholders.add(part, true)
}

function isPlaceholder(page: Page, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) if (placeholders.begins(page, at)) return true
  return false
}

/** Letters with digits or with signs, that neither name a variable nor stand for what is to be filled in. */
function looksSecret(page: Page, start: number, end: number, min: number): boolean {
  if (end - start < min || codeAt(page, end) === 40 || codeAt(page, end) === block) return false
  const first = codeAt(page, start)
  // A variable or a template of a shell or program.
  if ((first === 36 && codeAt(page, start + 1) !== 50) || first === codeOf.percent) return false
  let digits = 0
  let letters = 0
  let signs = 0
  let joints = 0
  let cases = 0
  const stop = Math.min(end, start + lookedAt)
  for (let at = start; at < stop; at++) {
    const flags = flagsOf[page.codes[at]!]!
    if (flags & digit) digits++
    else if (flags & letter) {
      letters++
      cases |= flags & (upper | lower)
    } else if (isNameSign(page.codes[at]!)) joints++
    else signs++
  }
  page.steps += stop - start
  const isPassword = min < 10
  const isMade = isPassword
    ? (digits > 0 && letters + signs > 0) || (signs > 0 && letters > 0) || digits >= min
    : digits > 0 &&
      letters > 1 &&
      (digits > 2 ||
        cases === (upper | lower) ||
        signs > 0 ||
        // Names of that length have their words divided.
        (joints === 0 && end - start >= unbrokenMin))
  return isMade && !isPlaceholder(page, start, stop)
}

/** Signs that names of things have as well. */
function isNameSign(code: number): boolean {
  return (
    code === codeOf.dash ||
    code === codeOf.underscore ||
    code === codeOf.dot ||
    code === codeOf.slash ||
    code === codeOf.colon
  )
}

const authorityMax = 512

/** At the colon of `://`: the password of `scheme://name:password@host`, or a long secret that stands for both. */
export function findUrlPassword(page: Page, colon: number, found: Findings): void {
  let at = colon + 3
  const start = at
  let divider = -1
  let end = -1
  while (at < page.length && at - start < authorityMax) {
    const code = page.codes[at]!
    if (
      code === codeOf.slash ||
      code === 63 ||
      code === 35 ||
      isQuote(code) ||
      code === codeOf.less ||
      code === codeOf.greater
    )
      break
    if ((flagsOf[code]! & space) !== 0 || code === block) break
    if (code === codeOf.colon && divider === -1) divider = at
    if (code === codeOf.at) end = at
    at++
  }
  page.steps += at - colon
  if (end === -1) return
  const password = divider !== -1 && divider < end ? divider + 1 : -1
  const first = codeAt(page, password === -1 ? start : password)
  // `$PASSWORD`, `{password}` and `[password]` stand for one.
  if (first === 36 || first === 123 || first === codeOf.open || first === codeOf.star) return
  if (password === -1 ? !looksSecret(page, start, end, 20) : password === end) return
  page.passwordAt = end
  found.add('key', password === -1 ? start : password, end)
}
