// Values that programs give to a name in quotes, in brackets or as a first argument: `config["password"] = "..."`,
// `define('DB_PASSWORD', '...')`. And those behind a word that sets names: `ENV DB_PASSWORD ...`.
import { codeOf, digit, flagsOf, isQuote, letter, space, tokenic } from './characters.ts'
import { blanksEnd, codeAt, flagsAt, hasText, type Page, textOf } from './page.ts'

const gapMax = 24
const nameMax = 64
const functionMax = 24

/** Where the value begins, behind its quote, for the name that ends here; null where none is given so. */
export function valueOfQuotedName(
  page: Page,
  start: number,
  end: number,
  isPassword: boolean,
): number | null {
  if (!isQuote(codeAt(page, end))) return null
  if (codeAt(page, end + 1) === 93) return behindBracket(page, end + 2)
  const comma = blanksEnd(page, end + 1, gapMax)
  if (codeAt(page, comma) !== codeOf.comma) return null
  const value = behindQuote(page, blanksEnd(page, comma + 1, gapMax))
  if (value === null || !isFirstArgument(page, start, codeAt(page, end), isPassword)) return null
  // What a call says of a password is often a message, such as `Required!`.
  return isPassword && !hasDigit(page, value) ? null : value
}

/** Behind what opens a string here, also `N'` of SQL, and `b'` and its like of Python; null where none begins. */
export function behindQuote(page: Page, at: number): number | null {
  const quote = at + (isStringMark(codeAt(page, at)) ? 1 : 0)
  return isQuote(codeAt(page, quote)) ? quote + 1 : null
}

function isStringMark(code: number): boolean {
  return code === 78 || code === 98 || code === 114 || code === 102 || code === 117
}

/** Something is given or compared, or stands in for what is missing: `=`, `=>`, `||=`, `??`. What is no string is a variable. */
function behindBracket(page: Page, bracket: number): number | null {
  const sign = blanksEnd(page, bracket, gapMax)
  let at = sign
  while (at - sign < 2 && (codeAt(page, at) === codeOf.bar || codeAt(page, at) === 63)) at++
  const isFallback = at - sign === 2
  if (codeAt(page, at) === codeOf.equals) {
    at++
    if (codeAt(page, at) === codeOf.equals || codeAt(page, at) === codeOf.greater) at++
    if (codeAt(page, at) === codeOf.equals) at++
  } else if (!isFallback) return null
  return behindQuote(page, blanksEnd(page, at, gapMax))
}

/** Functions that give a value to a name, or have what is taken when it has none; others may say something of it. */
const setters = new Set(
  (
    'set put append add define setdefault setitem setenv putenv env header setheader addheader addrequestheader ' +
    'setrequestheader defaultheader withheader setproperty setparameter addparameter setattribute addfield field ' +
    'get getenv getproperty getstring getordefault setsecret putsecret addsecret setstring putstring setconfig setvalue replace store insert of entry pair'
  ).split(' '),
)

/** Any function may have a key as its second argument, where it is what is taken when there is no other. */
function isFirstArgument(page: Page, start: number, quote: number, isPassword: boolean): boolean {
  let at = start - 1
  while (start - at < nameMax && isNamePart(codeAt(page, at))) at--
  page.steps += start - at
  if (codeAt(page, at) !== quote) return false
  at--
  while (start - at < nameMax && (flagsAt(page, at) & space) !== 0) at--
  if (codeAt(page, at) !== codeOf.parenthesis) return false
  const end = codeAt(page, at - 1) === codeOf.space ? at - 1 : at
  let from = end
  while (end - from < functionMax && (flagsAt(page, from - 1) & tokenic) !== 0) from--
  const name = textOf(page, from, end).toLowerCase().replaceAll('_', '')
  return setters.has(name) || (!isPassword && end === at && name !== '')
}

function isNamePart(code: number): boolean {
  return (flagsOf[code]! & tokenic) !== 0 || code === codeOf.dot
}

function hasDigit(page: Page, start: number): boolean {
  for (let at = start; at - start < nameMax && !isQuote(codeAt(page, at)); at++) {
    page.steps++
    if ((flagsAt(page, at) & digit) !== 0) return true
  }
  return false
}

/** `ENV NAME value` of a Dockerfile, `SetEnv` of Apache, `setenv` of a shell, `setx` of Windows; in small letters `env` is a word. */
export function isBehindSetter(page: Page, start: number): boolean {
  let at = start
  while (start - at < nameMax && (flagsAt(page, at - 1) & tokenic) !== 0) at--
  const end = at - 1
  page.steps += start - at
  if (codeAt(page, end) !== codeOf.space) return false
  let from = end
  while (end - from < 7 && (flagsAt(page, from - 1) & letter) !== 0) from--
  page.steps += end - from
  if (end - from === 3) return textOf(page, from, end) === 'ENV'
  if (end - from === 4) return hasText(page, from, 'setx')
  return end - from === 6 && hasText(page, from, 'setenv')
}
