// National numbers: all digits, found from their first digit; with letters, found from the start of a word.
import { codeOf, digit, flagsOf, letter, upper } from '../characters.ts'
import { about, type Findings } from '../findings.ts'
import { codeAt, endsWord, flagsAt, isWholeNumber, type Page, textOf } from '../page.ts'
import type { Groups } from '../read-groups.ts'
import { shapesAt } from './digit-shapes.ts'
import {
  isChileanK,
  isFinnish,
  isHongKong,
  type LetterFormat,
  letterFormats,
} from './letter-formats.ts'

export function findDigitId(page: Page, groups: Groups, found: Findings): void {
  let count = 0
  for (let group = 0; group < groups.count; group++) {
    const node = groups.shapes[group]!
    if (node === 0) return
    count += groups.sizes[group]!
    const shapes = shapesAt[node]!
    if (shapes.length === 0) continue
    const end = groups.ends[group]!
    if (!isWholeNumber(page, groups.start, end) || isJoined(page, groups.start)) continue
    page.steps += shapes.length
    let isDoubtful = false
    for (const { fits, isSure } of shapes) {
      if ((isDoubtful && !isSure) || !fits(groups.digits, count)) continue
      if (isSure) found.add('national_id', groups.start, end)
      else isDoubtful = true
    }
    if (isDoubtful) found.addNear(about.nationalId, 'national_id', groups.start, end)
  }
}

/** Behind a sign it is an amount or a telephone number, behind `#` an order, inside a path a number of another kind. */
function isJoined(page: Page, start: number): boolean {
  const before = codeAt(page, start - 1)
  return before === codeOf.plus || before === 36 || before === codeOf.underscore
}

/** Digits with a letter at the end or in the middle: `12345678-Z`, `12.345.678-K`, `131052-308T`. */
export function findDigitsAndLetter(page: Page, groups: Groups, found: Findings): void {
  const { start, sizes, separators, ends } = groups
  if (sizes[0] === 6) findFinnish(page, start, found)
  const isDotted =
    sizes[0]! <= 2 && sizes[1] === 3 && sizes[2] === 3 && separators[0] === codeOf.dot
  const last = groups.count > 2 && isDotted ? 2 : 0
  if (last === 0 && sizes[0] !== 8) return
  const end = ends[last]!
  const gap = codeAt(page, end) === codeOf.dash ? 1 : 0
  if ((flagsAt(page, end + gap) & letter) === 0 || (last === 0 && gap === 0)) return
  if (!isWholeNumber(page, start, end + gap + 1)) return
  const text = textOf(page, start, end + gap + 1)
    .replace(/[.-]/g, '')
    .toUpperCase()
  const isSpanish = letterFormats.some(({ shape, fits }) => shape.test(text) && fits(text))
  if (isSpanish || (text.endsWith('K') && isChileanK(text))) {
    found.add('national_id', start, end + gap + 1)
  }
}

function findFinnish(page: Page, start: number, found: Findings): void {
  const mark = codeAt(page, start + 6)
  const isMark = mark === codeOf.dash || mark === codeOf.plus || (flagsOf[mark]! & upper) !== 0
  const end = start + 11
  if (!isMark || end > page.length || !isWholeNumber(page, start, end)) return
  const text = textOf(page, start, start + 6) + textOf(page, start + 7, end)
  if (/^\d{9}[0-9A-Z]$/.test(text) && isFinnish(text)) found.add('national_id', start, end)
}

const formatsOfLength = new Map<number, LetterFormat[]>()
for (const format of letterFormats) {
  for (const length of format.lengths) {
    formatsOfLength.set(length, [...(formatsOfLength.get(length) ?? []), format])
  }
}

/** A word with a digit in it, of letters and digits to its end. */
export function findLetterId(page: Page, start: number, end: number, found: Findings): void {
  const length = end - start
  if (length === 7 || length === 8) findHongKong(page, start, end, found)
  if (formatsOfLength.has(length) && endsWord(page, end)) {
    checkLetters(textOf(page, start, end), start, end, found)
  }
}

function checkLetters(written: string, start: number, end: number, found: Findings): void {
  const text = written.toUpperCase()
  for (const { shape, isDoubtful, fits } of formatsOfLength.get(text.length)!) {
    if (!shape.test(text) || !fits(text)) continue
    if (isDoubtful || text !== written) found.addNear(about.nationalId, 'national_id', start, end)
    else found.add('national_id', start, end)
  }
}

const spacedLength = 9
const spacedDigitsMin = 6

/** One or two letters followed by a gap and a digit: `AB 12 34 56 C`, `X-1234567-L`. */
export function findSpacedId(page: Page, start: number, end: number, found: Findings): void {
  const gap = codeAt(page, end)
  if (gap !== codeOf.space && gap !== codeOf.dash) return
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
  const text = textOf(page, start, at).replaceAll(String.fromCharCode(gap), '')
  if (text === text.toUpperCase()) checkLetters(text, start, at, found)
}

function findHongKong(page: Page, start: number, end: number, found: Findings): void {
  if (codeAt(page, end) !== 40 || codeAt(page, end + 2) !== 41) return
  const match = /^([A-Z]{1,2})(\d{6})$/.exec(textOf(page, start, end))
  const check = textOf(page, end + 1, end + 2)
  if (match && /[\dA]/.test(check) && isHongKong(match[1]!, match[2]!, check)) {
    found.add('national_id', start, end + 3)
  }
}
