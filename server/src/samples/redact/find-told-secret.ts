// Secrets that a sentence tells, with no sign between name and value: `my token is ...`, `use the token ...`. Any word may
// follow there, so that only what looks random is taken for one.
import { alnum, block, codeOf, digit, isQuote, lower, upper } from './characters.ts'
import {
  codeAt,
  endsWord,
  flagsAt,
  hasText,
  isUuid,
  type Page,
  runEnd,
  runOf,
  uuidLength,
} from './page.ts'

const lengthMin = 20
const lookedAt = 64
const spacesMax = 3
const marksMax = 3

/** Where such a value stands behind the name that ends here; null where none does. */
export function toldSecret(
  page: Page,
  nameEnd: number,
  min: number,
): { start: number; end: number } | null {
  const gap = skip(page, nameEnd, spacesMax, isSpace)
  if (gap === nameEnd) return null
  let at = gap
  if (hasText(page, gap, 'is ')) at = gap + 3
  else if (hasText(page, gap, 'is: ')) at = gap + 4
  const start = skip(page, at, marksMax, isMark)
  const end = runEnd(page, start, runOf.wide)
  if (end - start < Math.max(min, lengthMin) || !endsWord(page, end)) return null
  if (codeAt(page, end) === codeOf.dot && isNamePart(page, end + 1)) return null
  return isUuidAlone(page, start, end) || isRandom(page, start, end) ? { start, end } : null
}

/** Behind a dot, of a file or server; it may have been replaced already. */
function isNamePart(page: Page, at: number): boolean {
  return (flagsAt(page, at) & alnum) !== 0 || codeAt(page, at) === block
}

function skip(page: Page, from: number, max: number, is: (code: number) => boolean): number {
  let at = from
  while (at - from < max && is(codeAt(page, at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === codeOf.space
}

/** Quotes, and stars around bold text. */
function isMark(code: number): boolean {
  return code === codeOf.star || isQuote(code)
}

function isUuidAlone(page: Page, start: number, end: number): boolean {
  return end - start === uuidLength && isUuid(page, start)
}

/**
 * Digits, and a change of sort so often as names made of words do not have: from letters to digits or back, or from a small letter
 * to a capital. With signs in it both cases have to be there too, since names of things have small letters and dashes.
 */
function isRandom(page: Page, start: number, end: number): boolean {
  const stop = Math.min(end, start + lookedAt)
  let digits = 0
  let capitals = 0
  let small = 0
  let changes = 0
  let before = 0
  for (let at = start; at < stop; at++) {
    const sort = flagsAt(page, at) & alnum
    if (sort === digit) digits++
    else if (sort === upper) capitals++
    else if (sort === lower) small++
    const isFromOrToDigit = (sort === digit) !== (before === digit)
    if (before !== 0 && sort !== 0 && (isFromOrToDigit || (before === lower && sort === upper)))
      changes++
    before = sort
  }
  page.steps += stop - start
  if (digits < 2 || changes * 5 < stop - start) return false
  const hasSigns = digits + capitals + small < stop - start
  return !hasSigns || (capitals > 2 && small > 2)
}
