// Passwords and secrets that are told by the name they are given: `password=...`, `"api_key": "..."`, `--token ...`.
import {
  alnum,
  block,
  codeOf,
  digit,
  flagsOf,
  isQuote,
  letter,
  space,
  tokenic,
  upper,
} from './characters.ts'
import { endsWithName, isCodeWordAt, isTime } from './code-words.ts'
import { about, type Findings } from './findings.ts'
import type { Kind } from './kinds.ts'
import { passphraseStop } from './find-passphrase.ts'
import { toldSecret } from './find-told-secret.ts'
import { codeAt, flagsAt, hasText, type Page, runEnd, runOf } from './page.ts'
import { pairedValue } from './paired-value.ts'
import { behindQuote, isBehindSetter, valueOfQuotedName } from './set-by-name.ts'
import { ampersandsStop } from './value-with-ampersands.ts'
import { spacedPasswordStop } from './spaced-password.ts'
import { wholeSecretStop } from './whole-value.ts'
import { WordTrie } from './word-trie.ts'

/** How much a name promises: what is called a password may be short, what is called a token must look like one. */
export type Assignment = {
  name: string
  min: number
  kind: Kind
  /** Sentences tell its value without a sign, as in `use the token ...`. */
  isTold: boolean
}

const names = (list: string, min: number, kind: Kind): Assignment[] =>
  list.split(' ').map((name) => ({
    name: name.replaceAll('_', ' '),
    min,
    kind,
    isTold: min >= 10 && /(token|secret|key)$/.test(name),
  }))

/** A space in a name stands for a space, `-` or `_`. */
export const assignments: Assignment[] = [
  ...names('password passwd passwort passphrase passcode pwd kennwort contraseña senha', 6, 'key'),
  ...names('db_pass user_pass userpass dbpass rootpass pass mot_de_passe contrasena', 6, 'key'),
  ...names('wachtwoord hasło şifre lösenord passord salasana heslo jelszó adgangskode', 6, 'key'),
  ...names('пароль 密码 密碼 口令 パスワード 비밀번호', 6, 'key'),
  ...names('storepass keypass psk preshared_key presharedkey', 6, 'key'),
  // What programs take from the environment; whatever is given there is one.
  ...names('pgpassword mysql_pwd sshpass rediscli_auth', 4, 'key'),
  ...names('secret client_secret clientsecret app_secret appsecret shared_secret', 10, 'key'),
  ...names('api_key apikey api_token apitoken api_secret apisecret auth_key authkey', 10, 'key'),
  ...names(
    'app_key appkey application_key subscription_key consumer_secret license_key',
    16,
    'key',
  ),
  ...names('secret_key secretkey signing_key encryption_key master_key webhook_secret', 10, 'key'),
  ...names('secret_key_base', 10, 'key'),
  ...names('access_key accesskey access_token accesstoken refresh_token refreshtoken', 12, 'key'),
  ...names(
    'auth_token authtoken bot_token session_token id_token bearer_token csrf_token',
    12,
    'key',
  ),
  ...names('private_token deploy_token personal_access_token webhook_token x_api_key', 12, 'key'),
  ...names('identitytoken registrytoken', 12, 'key'),
  ...names('token session_id sessionid session_secret credential credentials', 20, 'key'),
  ...names('session phpsessid jsessionid connect.sid server_token dockerconfigjson', 20, 'key'),
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
  given: Assignment,
  found: Findings,
): void {
  const { min, kind } = given
  const value = valueStart(page, start, end, min)
  if (value === null) {
    const told = given.isTold ? toldSecret(page, end, min) : null
    if (told !== null && told.start >= page.takenTo) take(page, kind, told.start, told.end, found)
    return
  }
  if (value < page.takenTo) return
  const whole = min < 10 ? wholeSecretStop(page, start, value) : null
  if (whole !== null && looksSecret(page, value, whole, min)) {
    take(page, kind, value, whole, found)
    return
  }
  const spaced = min < 10 && given.name !== 'pass' ? spacedPasswordStop(page, start, value) : null
  if (spaced !== null && !isPlaceholder(page, value, spaced)) {
    take(page, kind, value, spaced, found)
    return
  }
  const isListed = min < 10 && isInList(page, start)
  const stop = isListed ? listedStop(page, value) : valueStop(page, value)
  const isGiven = isListed || (min === environmentMin && !isSetApart(page, end, value))
  const isSecret = (to: number): boolean =>
    isGiven
      ? isGivenSecret(page, value, to)
      : looksSecret(page, value, to, min) && !isOfCode(page, given, value, to)
  const longer = isListed ? stop : ampersandsStop(page, start, value, stop)
  if (longer > stop && (isSecret(longer) || isJoinedSecret(page, value, longer))) {
    take(page, kind, value, longer, found)
    return
  }
  if (isSecret(stop)) {
    take(page, kind, value, stop, found)
    return
  }
  if (min >= 10) return
  const words = given.name === 'pass' ? null : passphraseStop(page, start, value)
  if (words !== null) {
    take(page, kind, value, words, found)
  } else if (codeAt(page, end) === codeOf.equals && isGivenSecret(page, value, stop)) {
    found.addNear(about.jdbc, kind, value, stop)
  }
}

function take(page: Page, kind: Kind, start: number, end: number, found: Findings): void {
  found.add(kind, start, end)
  page.takenTo = end
}

/** Only what must be as long as names in programs are may end as such names do, or be a time. */
function isOfCode(page: Page, { name, min }: Assignment, start: number, end: number): boolean {
  if (isCodeWordAt(page, start, end)) return true
  return min >= 20 && (endsWithName(page, name, end) || isTime(page, start))
}

const joinedMin = 8

/** With `&` in it, it needs no more signs of chance than a password; names and masks of programs have their digits last or in hex. */
function isJoinedSecret(page: Page, start: number, end: number): boolean {
  if (!looksSecret(page, start, end, joinedMin)) return false
  const stop = Math.min(end, start + lookedAt)
  for (let at = start; at < stop; at++) {
    const isHex = codeAt(page, at) === zero && hasText(page, at + 1, 'x')
    if (isHex) return false
    if ((flagsAt(page, at) & digit) !== 0 && (flagsAt(page, at + 1) & letter) !== 0) return true
  }
  return false
}

const zero = 48
const environmentMin = 4

/** Behind `NAME= ` stands the program that is called without it. */
function isSetApart(page: Page, end: number, value: number): boolean {
  return codeAt(page, end) === codeOf.equals && codeAt(page, value - 1) === codeOf.space
}

/** Behind a semicolon that divides the pairs of a connection string. */
function isInList(page: Page, start: number): boolean {
  let at = start - 1
  // The name may be of several words, as in `User Password`.
  while (start - at < listedNameMax && isListedName(codeAt(page, at))) at--
  page.steps += start - at
  return codeAt(page, at) === codeOf.semicolon && isPairBefore(page, at)
}

const listedNameMax = 16

function isListedName(code: number): boolean {
  return code === codeOf.space || (flagsOf[code]! & letter) !== 0
}

/** Whether `name=value` stands before the semicolon, and not the end of a statement. */
function isPairBefore(page: Page, semicolon: number): boolean {
  for (let at = semicolon - 1; semicolon - at <= pairMax; at--) {
    page.steps++
    const code = codeAt(page, at)
    if (code === codeOf.equals) return (flagsAt(page, at - 1) & alnum) !== 0
    if (code === 0 || code === block || isQuote(code)) break
    if (code === codeOf.semicolon || code === codeOf.newline || code === codeOf.pageBreak) break
  }
  return false
}

const pairMax = 128

/** Such a value may have any sign but a semicolon and quotes. */
function listedStop(page: Page, start: number): number {
  if (isQuote(codeAt(page, start - 1))) return valueStop(page, start)
  let end = start
  while (end - start < quotedMax && end < page.length && !endsListed(page.codes[end]!)) end++
  page.steps += end - start
  return end
}

function endsListed(code: number): boolean {
  return (
    code === codeOf.semicolon ||
    code === block ||
    code === codeOf.less ||
    code === codeOf.greater ||
    isQuote(code) ||
    (flagsOf[code]! & space) !== 0
  )
}

/** A password that may be letters only, since where it stands nothing else would be. */
function isGivenSecret(page: Page, start: number, end: number): boolean {
  if (end - start < environmentMin || codeAt(page, end) === block) return false
  if (codeAt(page, end) === 40 || isFilledIn(page, start)) return false
  return !isPlaceholder(page, start, Math.min(end, start + lookedAt))
}

/** A variable or a template of a shell or program. */
function isFilledIn(page: Page, start: number): boolean {
  const first = codeAt(page, start)
  if (first === 36) return codeAt(page, start + 1) !== 50
  return first === codeOf.percent || first === 123 || first === codeOf.less || first === codeOf.open
}

function valueStart(page: Page, start: number, end: number, min: number): number | null {
  const quoted = valueOfQuotedName(page, start, end, min < 10)
  if (quoted !== null) return quoted
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
  else if (code === codeOf.parenthesis && gap === end && isSetter(page, start)) {
    if (!isQuote(codeAt(page, gap + 1))) return null
    after = gap + 1
  } else if (code === codeOf.greater && gap === end && codeAt(page, start - 1) === codeOf.less)
    after = gap + 1
  else if (gap > at && min <= 10 && hasText(page, gap, 'is ')) after = gap + 3
  else if (gap > at && min <= 10 && hasText(page, gap, 'is: ')) after = gap + 4
  else if (gap > at && (isFlag(page, start) || (min < 10 && isQuote(code)))) after = gap
  else if (gap > at && isBehindSetter(page, start)) after = gap
  else {
    const paired = pairedValue(page, start, at)
    if (paired === -1) return null
    after = paired
  }
  const value = skipStars(page, skipSpaces(page, after))
  if (code === codeOf.colon && codeAt(page, after) === codeOf.slash) return null
  return behindQuote(page, value) ?? value
}

/** `setPassword(`, `set_password(` and `withPassword(`, and `.password(` of a builder; what asks for one is called otherwise. */
function isSetter(page: Page, start: number): boolean {
  const before = codeAt(page, start - 1)
  if (before === codeOf.dot) return true
  const end = before === codeOf.underscore ? start - 1 : start
  return hasText(page, end - 3, 'set') || hasText(page, end - 4, 'with')
}

const flagNameMax = 24

/** Whether the name is a flag, or the end of one, as in `--http-password` or `-password`. */
function isFlag(page: Page, start: number): boolean {
  let at = start - 1
  while (start - at < flagNameMax && (flagsAt(page, at) & tokenic) !== 0) at--
  page.steps += start - at
  if (codeAt(page, at + 1) !== codeOf.dash || start === at + 1) return false
  return at < 0 || (flagsAt(page, at) & space) !== 0 || isQuote(codeAt(page, at))
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
    if (codeAt(page, end) === opening || codeAt(page, end) === block) return end
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

export function isPlaceholder(page: Page, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) if (placeholders.begins(page, at)) return true
  return false
}

/** Letters with digits or with signs, that neither name a variable nor stand for what is to be filled in. */
export function looksSecret(page: Page, start: number, end: number, min: number): boolean {
  if (end - start < min || codeAt(page, end) === 40 || codeAt(page, end) === block) return false
  if (isFilledIn(page, start)) return false
  let digits = 0
  let letters = 0
  let signs = 0
  let joints = 0
  let capitals = 0
  const stop = Math.min(end, start + lookedAt)
  for (let at = start; at < stop; at++) {
    const flags = flagsOf[page.codes[at]!]!
    if (flags & digit) digits++
    else if (flags & letter) {
      letters++
      if (flags & upper) capitals++
    } else if (isNameSign(page.codes[at]!)) joints++
    else signs++
  }
  page.steps += stop - start
  const isPassword = min < 10
  const isMade = isPassword
    ? (digits > 0 && letters + signs > 0) || (signs > 0 && letters > 0) || digits >= min
    : digits > 0
      ? letters > 1 &&
        (digits > 2 ||
          (capitals > 0 && capitals < letters) ||
          signs > 0 ||
          // Names of that length have their words divided.
          (joints === 0 && end - start >= unbrokenMin))
      : // No words have as many capitals as chance puts among letters, nor as many small ones.
        letters >= unbrokenMin && capitals * 3 > letters && capitals * 4 < letters * 3
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
