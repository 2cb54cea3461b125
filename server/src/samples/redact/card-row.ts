// A long row of numbers of four digits is a table or a list of years: some four of them always look like a card. Only a
// list of cards has nothing else in such a row.
import { digit, flagsOf, separator } from './characters.ts'
import { codeAt, flagsAt, type Page } from './page.ts'

const size = 4
const gapMax = 3
/** Two cards next to each other, or one with its date and what else a form has. */
const groupsMax = 8

/** For the groups of four that begin here; a row is walked once, however often it is asked for. */
export function isTable(
  page: Page,
  at: number,
  isCard: (digits: Uint8Array, count: number) => boolean,
): boolean {
  const known = page.cardRow
  if (at >= known.start && at < known.end) return known.isTable
  const gap = gapAt(page, at + size)
  if (gap === 0) return false
  const stride = size + gap
  let start = at
  while (isGroup(page, start - stride) && hasSameGap(page, start - gap, at + size, gap)) {
    start -= stride
  }
  let last = at
  while (isGroup(page, last + stride) && hasSameGap(page, last + size, at + size, gap)) {
    last += stride
  }
  const count = (last - start) / stride + 1
  page.steps += last - start
  known.start = start
  known.end = last + size
  known.isTable = count > groupsMax && !areCards(page, start, count, stride, isCard)
  return known.isTable
}

const digits = new Uint8Array(4 * size)

function areCards(
  page: Page,
  start: number,
  count: number,
  stride: number,
  isCard: (digits: Uint8Array, count: number) => boolean,
): boolean {
  if (count % 4 !== 0) return false
  for (let card = 0; card < count; card += 4) {
    for (let place = 0; place < digits.length; place++) {
      const group = start + (card + Math.floor(place / size)) * stride
      digits[place] = codeAt(page, group + (place % size)) - 48
    }
    page.steps += digits.length
    if (!isCard(digits, digits.length)) return false
  }
  return true
}

/** Four digits, and no more behind; those before are of the group that was seen last. */
function isGroup(page: Page, start: number): boolean {
  if (start < 0) return false
  for (let at = start; at < start + size; at++) if ((flagsAt(page, at) & digit) === 0) return false
  return (flagsAt(page, start + size) & digit) === 0 && (flagsAt(page, start - 1) & digit) === 0
}

function gapAt(page: Page, at: number): number {
  let end = at
  while (end - at < gapMax && (flagsOf[codeAt(page, end)]! & separator) !== 0) end++
  return end - at
}

function hasSameGap(page: Page, at: number, other: number, gap: number): boolean {
  for (let i = 0; i < gap; i++) if (codeAt(page, at + i) !== codeAt(page, other + i)) return false
  return true
}
