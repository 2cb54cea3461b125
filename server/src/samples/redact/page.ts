// A text as the scanners see it: folded characters, each with the place it came from, and the small questions that
// every scanner asks.
import {
  alnum,
  base64,
  block,
  codeOf,
  digit,
  flagsOf,
  hex,
  letter,
  lineBreak,
  lower,
  space,
  tokenic,
  upper,
  valueEnd,
} from './characters.ts'
import type { CommandFlags } from './command-flags.ts'
import type { Places } from './places.ts'

/** What stands behind a header: where the whole ends, of how many parts it is, and how long the longest is. */
type JwtTail = { start: number; header: number; end: number; parts: number; longest: number }

export type Page = {
  text: string
  codes: Uint16Array
  length: number
  /** Where the characters stand in the text; null when every character stands for itself. */
  places: Places | null
  /** How much work was done: grows with every character that any scanner looks at. */
  steps: number
  /** How far values reach that were taken for secrets because of their names. */
  takenTo: number
  /** How far the cookies reach that were walked last. */
  cookiesTo: number
  /** What the flags mean of the program whose command line this is. */
  command: CommandFlags | null
  /** The `@` behind a password in a URL, which is no email address. */
  passwordAt: number
  /** Where the run of each sort that was walked last begins and ends. */
  runs: Uint32Array
  /** The stretch that was counted last, and what it has of each sort, a byte for each. */
  counted: { start: number; end: number; sum: number }
  /** The value with `&` in it that was walked last. */
  joined: { start: number; end: number }
  /** The row of numbers, all written alike, that was walked last. */
  evenRow: { start: number; end: number }
  /** The row of numbers of four digits that was walked last. */
  cardRow: { start: number; end: number; isTable: boolean }
  /** What stands behind the run that was last read as the header of a JSON web token. */
  jwt: JwtTail
  /** The lines of a private key that were walked last, and the last long gaps between such lines. */
  keyBody: { start: number; end: number }
  keyGaps: { start: number; end: number }[]
  /** The object that was walked last, and whether it is a JSON web key. */
  object: { start: number; end: number; isKey: boolean }
  /** Where texts stand that are encoded, with what they say; null where there is none. */
  encoded: { start: number; end: number; text: string }[] | null
}

/** Sorts of runs, by what they are made of. */
export const runOf = {
  /** Letters and digits. */
  plain: 0,
  hex: 1,
  /** Letters, digits, `-` and `_`. */
  tokenic: 2,
  /** The same with dots between, or with slashes. */
  dotted: 3,
  path: 4,
  base64: 5,
  /** Whatever a value without quotes may have. */
  value: 6,
  /** The rest of a line. */
  line: 7,
  /** Base64 in either alphabet, with dots between, or with `$`. */
  wide: 8,
  wideDotted: 9,
  dollars: 10,
} as const
export type RunSort = (typeof runOf)[keyof typeof runOf]

const runSortCount = 11
/** One for all pages, of which only the last is good. */
const runs = new Uint32Array(2 * runSortCount)

export function newPage(
  text: string,
  codes: Uint16Array,
  length: number,
  places: Page['places'],
): Page {
  return {
    text,
    codes,
    length,
    places,
    steps: length,
    takenTo: 0,
    cookiesTo: 0,
    command: null,
    passwordAt: -1,
    runs: runs.fill(0),
    counted: { start: 0, end: 0, sum: 0 },
    joined: { start: 0, end: 0 },
    evenRow: { start: 0, end: 0 },
    cardRow: { start: 0, end: 0, isTable: false },
    jwt: { start: 0, header: 0, end: 0, parts: 0, longest: 0 },
    keyBody: { start: 0, end: 0 },
    keyGaps: [],
    object: { start: 0, end: 0, isKey: false },
    encoded: null,
  }
}

export function codeAt(page: Page, at: number): number {
  return at >= 0 && at < page.length ? page.codes[at]! : 0
}

export function flagsAt(page: Page, at: number): number {
  return at >= 0 && at < page.length ? flagsOf[page.codes[at]!]! : 0
}

/** Whether a value may end here. */
export function endsWord(page: Page, end: number): boolean {
  const after = codeAt(page, end)
  return after !== block && (flagsAt(page, end) & alnum) === 0
}

const emphasisMax = 3

/** Behind an underscore that joins two parts of a name, and not one of those that set a value off from the text around. */
export function isJoinedByUnderscore(page: Page, start: number): boolean {
  let at = start - 1
  while (start - 1 - at < emphasisMax && codeAt(page, at) === codeOf.underscore) at--
  if (at === start - 1) return false
  return codeAt(page, at) === codeOf.underscore || !endsWord(page, at)
}

/** Whether a number begins and ends here, rather than being part of a longer one, a decimal or a word. */
export function isWholeNumber(page: Page, start: number, end: number): boolean {
  return startsNumber(page, start) && endsNumber(page, end)
}

/** A comma is not asked about: most set the fields of a row or the items of a list apart. */
export function startsNumber(page: Page, start: number): boolean {
  const before = codeAt(page, start - 1)
  if (before === block || (flagsOf[before]! & alnum) !== 0) return false
  return !(isJoint(before) && isNumberPart(page, start - 2))
}

export function endsNumber(page: Page, end: number): boolean {
  const after = codeAt(page, end)
  if (after === block || (flagsOf[after]! & alnum) !== 0) return false
  return !(isJoint(after) && isNumberPart(page, end + 1))
}

/** Whether digits stand before it or behind it with a comma between. */
export function hasCommaAndDigit(page: Page, start: number, end: number): boolean {
  if (codeAt(page, start - 1) === codeOf.comma && isNumberPart(page, start - 2)) return true
  return codeAt(page, end) === codeOf.comma && isNumberPart(page, end + 1)
}

function isJoint(code: number): boolean {
  return code === 45 || code === 46 || code === 47 || code === 43
}

function isNumberPart(page: Page, at: number): boolean {
  const code = codeAt(page, at)
  return code === block || (code >= 48 && code <= 57)
}

const wide = tokenic | base64
const runFlags = [
  alnum,
  hex,
  tokenic,
  tokenic,
  tokenic,
  base64,
  valueEnd,
  lineBreak,
  wide,
  wide,
  tokenic,
]
/** A further character that belongs to it. */
const runExtras = [-1, -1, -1, 46, 47, -1, -1, -1, -1, 46, 36]
/** Whether it is of characters that do not have the flag, and whether the sentence around may have its last ones. */
const runIsOfOthers = [false, false, false, false, false, false, true, true, false, false, false]
const runMayTrail = [false, false, false, true, true, false, true, false, false, true, false]

/** Behind the blanks from here on, of which there may be so many; a page does not go on behind its end. */
export function blanksEnd(page: Page, from: number, max: number): number {
  let end = from
  while (end - from < max) {
    const code = codeAt(page, end)
    if (code === codeOf.pageBreak || (flagsOf[code]! & space) === 0) break
    end++
  }
  page.steps += end - from
  return end
}

/** The end of the run of such characters; a run is walked once, however often it is asked for. */
export function runEnd(page: Page, at: number, sort: RunSort): number {
  const { runs } = page
  const known = 2 * sort
  if (at >= runs[known]! && at < runs[known + 1]!) return runs[known + 1]!
  const flag = runFlags[sort]!
  const extra = runExtras[sort]!
  const wanted = !runIsOfOthers[sort]!
  let end = at
  while (end < page.length) {
    const code = page.codes[end]!
    if (((flagsOf[code]! & flag) !== 0) !== wanted && code !== extra) break
    end++
  }
  page.steps += end - at
  // Before a marker nothing is left off, so that the reader sees that the rest was taken already.
  const trims = runMayTrail[sort]! && codeAt(page, end) !== block
  if (trims) while (end > at && isStop(page.codes[end - 1]!)) end--
  // An empty run costs nothing to walk again, a longer one that was known before it may.
  if (end > at) {
    runs[known] = at
    runs[known + 1] = end
  }
  return end
}

/** What stands at the end of a run belongs to the sentence around it. */
function isStop(code: number): boolean {
  return code === 46 || code === 47 || code === 58
}

const mixedMax = 40

/** Whether the characters are as mixed as chance makes them: letters and digits, and not all of one case. */
export function isMixed(page: Page, start: number, end: number, casedMin = 30): boolean {
  const stop = Math.min(end, start + mixedMax)
  const sum = countSorts(page, start, stop)
  const [digits, uppers, lowers] = [sum & 255, (sum >> 8) & 255, sum >> 16]
  // Behind numbers alone, as some tokens begin with, its end tells.
  if (stop < end && uppers + lowers < 2) return isMixed(page, end - mixedMax, end, casedMin)
  if (digits > 1 && uppers + lowers > 1 && (digits > 3 || (uppers > 0 && lowers > 0))) return true
  // Long ones may lack digits by chance, but not a mix of cases.
  return (
    (digits > 0 && uppers > 0 && lowers > 0) ||
    (stop - start >= casedMin && uppers > 3 && lowers > 3)
  )
}

/** Of less than 256 characters. Beginnings may stand close to each other, so the last stretch is moved if it can be. */
function countSorts(page: Page, start: number, end: number): number {
  const { codes, counted } = page
  let { start: from, end: to, sum } = counted
  if (start < from || start >= to || end < to) [from, to, sum] = [start, start, 0]
  page.steps += start - from + end - to
  for (; from < start; from++) sum -= sortOf(codes[from]!)
  for (; to < end; to++) sum += sortOf(codes[to]!)
  counted.start = from
  counted.end = to
  counted.sum = sum
  return sum
}

/** Digits count in the lowest byte, capitals in the next, small letters in the third. */
function sortOf(code: number): number {
  const flags = flagsOf[code]!
  return (flags & digit) | ((flags & upper) << 7) | ((flags & lower) << 14)
}

export const uuidLength = 36

/** For a run of at least that many letters, digits, `-` and `_`. */
export function isUuid(page: Page, start: number): boolean {
  for (let at = 0; at < uuidLength; at++) {
    const isDash = at === 8 || at === 13 || at === 18 || at === 23
    const code = page.codes[start + at]!
    if (isDash ? code !== codeOf.dash : (flagsOf[code]! & hex) === 0) return false
  }
  page.steps += uuidLength
  return true
}

/** Whether the character that was read here was written as an escape. */
export function isEscaped(page: Page, at: number): boolean {
  return page.places !== null && page.places.widthAt(at) > 1
}

/** Whether the page has this lower-case ASCII text here, in any case. */
export function hasText(page: Page, at: number, text: string): boolean {
  if (at < 0 || at + text.length > page.length) return false
  for (let i = 0; i < text.length; i++) {
    const code = page.codes[at + i]!
    if ((flagsOf[code]! & letter ? code | 32 : code) !== text.charCodeAt(i)) return false
  }
  page.steps += text.length
  return true
}

/** For short pieces only. */
export function textOf(page: Page, start: number, end: number): string {
  page.steps += end - start
  if (page.places === null) return page.text.slice(start, end)
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(page.codes[at]!)
  return text
}
