// National numbers: all digits, found from their first digit; with letters, found from the start of a word.
import { codeOf, digit, flagsOf, letter, lower, upper } from '../characters.ts'
import { about, type Findings } from '../findings.ts'
import {
  codeAt,
  endsNumber,
  endsWord,
  flagsAt,
  hasCommaAndDigit,
  isJoinedByUnderscore,
  isWholeNumber,
  type Page,
  startsNumber,
} from '../page.ts'
import type { Groups } from '../read-groups.ts'
import { isShapeEnd, shapesAt, sumsAt } from './digit-shapes.ts'
import { rightSums } from './digit-sums.ts'
import { isChileanK, isFinnish, isHongKong, letterFormats } from './letter-formats.ts'
import { allFormats, formatsWith, isLetterLength } from './letter-shapes.ts'
import { isInRow } from './number-row.ts'

export function findDigitId(page: Page, groups: Groups, found: Findings): void {
  if (!startsNumber(page, groups.start) || isJoined(page, groups.start)) return
  const { digits } = groups
  let count = 0
  for (let group = 0; group < groups.count; group++) {
    const node = groups.shapes[group]!
    if (node === 0) return
    count += groups.sizes[group]!
    if (isShapeEnd[node] === 0) continue
    const end = groups.ends[group]!
    if (!endsNumber(page, end) && !endsAtSlash(page, groups, group)) continue
    if (isInAmount(page, groups, group)) continue
    const sums = sumsAt[node]!
    const right = sums === null ? 0 : rightSums(sums, digits)
    page.steps += count
    if (sums !== null && right === 0 && sums.isOfAll) continue
    const shapes = shapesAt[node]!
    page.steps += shapes.length
    let isDoubtful = false
    for (const { fits, isSure, sumBit } of shapes) {
      if ((sumBit & right) !== sumBit || (isDoubtful && !isSure)) continue
      if (!fits(digits, count)) continue
      if (isSure && !isInRow(page, groups, group, found))
        found.add('national_id', groups.start, end)
      else isDoubtful = true
    }
    if (isDoubtful) found.addNear(about.nationalId, 'national_id', groups.start, end)
  }
}

/** Groups with dashes alone between them are whole before a slash, whatever is counted behind it: `536-22-1234/1`. */
function endsAtSlash(page: Page, { separators, ends }: Groups, last: number): boolean {
  if (last < 2 || codeAt(page, ends[last]!) !== codeOf.slash) return false
  for (let group = 0; group < last; group++) if (separators[group] !== codeOf.dash) return false
  return true
}

/** Behind a sign it is an amount or a telephone number, behind `#` an order, inside a path a number of another kind. */
function isJoined(page: Page, start: number): boolean {
  const before = codeAt(page, start - 1)
  return before === codeOf.plus || before === 36 || isJoinedByUnderscore(page, start)
}

/** Groups of three with a comma beside them are an amount and its decimals: `123 456 789,50`. */
function isInAmount(page: Page, groups: Groups, last: number): boolean {
  const { start, sizes, separators, ends } = groups
  if (last === 0 || !hasCommaAndDigit(page, start, ends[last]!)) return false
  for (let group = 1; group <= last; group++) {
    if (sizes[group] !== 3 || separators[group - 1] === codeOf.dash) return false
  }
  return true
}

/** The characters of the word that is looked at, in capitals; one for all calls. */
const letters = new Uint8Array(32)

/** Puts the letters and digits of a part of the page, 32 at most, behind those that are there; answers how many are. */
function putLetters({ codes }: Page, start: number, end: number, count: number): number {
  let put = count
  for (let at = start; at < end; at++) {
    const code = codes[at]!
    const flags = flagsOf[code]!
    if ((flags & (letter | digit)) !== 0) letters[put++] = (flags & lower) !== 0 ? code - 32 : code
  }
  return put
}

/** Digits with a letter at the end or in the middle: `12345678-Z`, `12.345.678-K`, `131052-308T`. */
export function findDigitsAndLetter(page: Page, groups: Groups, found: Findings): void {
  const { start, sizes, ends } = groups
  if (sizes[0] === 6) findFinnish(page, start, found)
  const isDotted =
    sizes[0]! <= 2 && sizes[1] === 3 && sizes[2] === 3 && groups.separators[0] === codeOf.dot
  const last = groups.count > 2 && isDotted ? 2 : 0
  if (last === 0 && sizes[0] !== 8) return
  const end = ends[last]!
  const gap = codeAt(page, end) === codeOf.dash ? 1 : 0
  if ((flagsAt(page, end + gap) & letter) === 0 || (last === 0 && gap === 0)) return
  if (!isWholeNumber(page, start, end + gap + 1)) return
  const stop = end + gap + 1
  for (let at = start; at < end; at++) {
    if ((flagsAt(page, at) & digit) === 0 && !isDotOrDash(codeAt(page, at))) return
  }
  page.steps += stop - start
  const count = putLetters(page, start, stop, 0)
  const isOfFormat = formatsOf(count) !== 0
  if (isOfFormat || (letters[count - 1] === 75 && isChileanK(letters, count))) {
    found.add('national_id', start, stop)
  }
}

function isDotOrDash(code: number): boolean {
  return code === codeOf.dot || code === codeOf.dash
}

function findFinnish(page: Page, start: number, found: Findings): void {
  const mark = codeAt(page, start + 6)
  const isMark = mark === codeOf.dash || mark === codeOf.plus || (flagsOf[mark]! & upper) !== 0
  const end = start + 11
  if (!isMark || end > page.length || !isWholeNumber(page, start, end)) return
  page.steps += end - start
  for (let at = start + 7; at < end - 1; at++) if ((flagsAt(page, at) & digit) === 0) return
  if ((flagsAt(page, end - 1) & (digit | upper)) === 0) return
  const count = putLetters(page, start + 7, end, putLetters(page, start, start + 6, 0))
  if (count === 10 && isFinnish(letters)) found.add('national_id', start, end)
}

/** A word with a digit in it, of letters and digits to its end. */
export function findLetterId(page: Page, start: number, end: number, found: Findings): void {
  const length = end - start
  if (length === 7 || length === 8) findHongKong(page, start, end, found)
  if (!isLetterLength(length) || !endsWord(page, end)) return
  const { codes } = page
  let formats = allFormats
  let cases = 0
  for (let place = 0; place < length; place++) {
    let code = codes[start + place]!
    const flags = flagsOf[code]!
    if ((flags & lower) !== 0) code -= 32
    formats = formatsWith(formats, length, place, code)
    if (formats === 0) {
      page.steps += place + 1
      return
    }
    cases |= flags
    letters[place] = code
  }
  page.steps += length
  addLetters(formats, length, (cases & lower) !== 0, start, end, found)
}

/** The formats, as bits, whose shape the letters have and whose check they pass. */
function formatsOf(count: number): number {
  if (!isLetterLength(count)) return 0
  let formats = allFormats
  for (let place = 0; place < count && formats !== 0; place++) {
    formats = formatsWith(formats, count, place, letters[place]!)
  }
  return passing(formats, count)
}

function passing(formats: number, count: number): number {
  let passed = 0
  for (let index = 0; formats >> index !== 0; index++) {
    const bit = 1 << index
    if ((formats & bit) !== 0 && letterFormats[index]!.fits(letters, count)) passed |= bit
  }
  return passed
}

const doubtfulFormats = letterFormats.reduce(
  (bits, { isDoubtful }, index) => (isDoubtful ? bits | (1 << index) : bits),
  0,
)

function addLetters(
  formats: number,
  count: number,
  isSmall: boolean,
  start: number,
  end: number,
  found: Findings,
): void {
  const passed = passing(formats, count)
  if (passed === 0) return
  const sure = isSmall ? 0 : passed & ~doubtfulFormats
  if (sure !== passed) found.addNear(about.nationalId, 'national_id', start, end)
  if (sure !== 0) found.add('national_id', start, end)
}

const spacedLength = 9
const spacedDigitsMin = 6

/** One or two letters followed by a gap and a digit: `AB 12 34 56 C`, `X-1234567-L`. */
export function findSpacedId(page: Page, start: number, end: number, found: Findings): void {
  const gap = codeAt(page, end)
  if (gap !== codeOf.space && gap !== codeOf.dash) return
  for (let at = start; at < end; at++) if ((flagsAt(page, at) & (digit | upper)) === 0) return
  let count = end - start
  let at = end
  let lastGap = 0
  let digits = 0
  while (count < spacedLength) {
    const flags = flagsAt(page, at)
    if ((flags & digit) !== 0) digits++
    // Letters stand before the digits or behind them, never between.
    else if ((flags & upper) !== 0 && digits > 0 && digits < spacedDigitsMin) return
    if ((flags & (digit | upper)) !== 0) count++
    else if (codeAt(page, at) !== gap || lastGap === at) break
    else lastGap = at + 1
    at++
  }
  page.steps += at - start
  if (count !== spacedLength || digits < spacedDigitsMin || !endsWord(page, at)) return
  putLetters(page, start, at, 0)
  addLetters(formatsOf(count), count, false, start, at, found)
}

function findHongKong(page: Page, start: number, end: number, found: Findings): void {
  if (codeAt(page, end) !== 40 || codeAt(page, end + 2) !== 41) return
  const digits = end - 6
  page.steps += end - start
  for (let at = start; at < end; at++) {
    if ((flagsAt(page, at) & (at < digits ? upper : digit)) === 0) return
  }
  const check = codeAt(page, end + 1)
  if (check !== 65 && (flagsOf[check]! & digit) === 0) return
  const count = putLetters(page, start, end + 2, 0)
  if (isHongKong(letters, count)) found.add('national_id', start, end + 3)
}
