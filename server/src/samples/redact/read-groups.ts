// Reads a number as it is written: its digits, in groups with separators between.
import { block, codeOf, flagsOf, separator as separatorFlag } from './characters.ts'
import { nextCardShape } from './card-shapes.ts'
import { isShapeEnd, nextShape } from './national-id/digit-shapes.ts'
import { codeAt, type Page } from './page.ts'

export type Groups = {
  start: number
  digits: Uint8Array
  digitCount: number
  /** Digits in each group, the separator behind it, and where it ends in the page. */
  sizes: Uint8Array
  separators: Uint8Array
  ends: Uint32Array
  /** Which ways of writing a national number it follows up to each group; see `nextShape`. */
  shapes: Uint8Array
  /** Whether any of those ways ends with one of the groups. */
  endsShape: boolean
  /** The same for a card; see `nextCardShape`. */
  cardShapes: Int32Array
  count: number
  /** One separator all over, and no further digits before or behind that are set off in the same way. */
  isEven: boolean
}

export const digitsMax = 19
const groupsMax = 19
/** Groups behind separators of more than one kind; no format has more. */
const mixedGroupsMax = 6
const gapMax = 3

/** One for all calls: a number is looked at before the next is read. */
const groups: Groups = {
  start: 0,
  digits: new Uint8Array(digitsMax + 1),
  digitCount: 0,
  sizes: new Uint8Array(groupsMax),
  separators: new Uint8Array(groupsMax),
  ends: new Uint32Array(groupsMax),
  shapes: new Uint8Array(groupsMax),
  endsShape: false,
  cardShapes: new Int32Array(groupsMax),
  count: 0,
  isEven: true,
}

/** At digits behind no digit, with their end. Looks at a constant number of characters; null when nothing begins here. */
export function readGroups(page: Page, start: number, end: number): Groups | null {
  const { codes, length } = page
  const { digits, sizes, separators, ends, shapes, cardShapes } = groups
  const before = codeAt(page, start - 1)
  const isCode = codeAt(page, end) === codeOf.underscore
  const first = isCode ? codeOf.underscore : separatorAt(page, end)
  let isEven = true
  // The middle of a row of short numbers begins nothing.
  if (first !== 0 && before === first && isDigitOrBlock(codeAt(page, start - 2))) {
    if (end - start < 3) return null
    isEven = false
  }
  if (end - start < 3 && (isCode || isLost(page, start, end, first))) return null
  let digitCount = 0
  let count = 0
  let at = start
  let gap = 0
  let shape = 0
  let shapeEnds = 0
  let card = 0
  let separator = 0
  for (;;) {
    const from = at
    while (at < length && isDigit(codes[at]!) && digitCount <= digitsMax) {
      digits[digitCount++] = codes[at++]! - 48
    }
    sizes[count] = at - from
    ends[count] = at
    separators[count] = 0
    shape = nextShape(shape, separator, at - from)
    shapes[count] = shape
    shapeEnds |= isShapeEnd[shape]!
    card = nextCardShape(card, at - from)
    cardShapes[count] = card
    const index = count++
    separator = at < length ? codes[at]! : 0
    if (digitCount > digitsMax || count === groupsMax) {
      isEven = false
      break
    }
    // Underscores join the parts of a name, so behind one nothing else divides the groups.
    if (isCode ? separator !== first : !isSeparator(separator)) break
    let next = at + 1
    while (!isCode && next - at < gapMax && next < length && isSeparator(codes[next]!)) next++
    if (next >= length) break
    if (!isDigit(codes[next]!)) {
      if (codes[next] === block) isEven = false
      break
    }
    // Behind the last digits it may end the sentence.
    if (separator !== first) isEven = false
    if (!isEven && count === mixedGroupsMax) break
    // Gaps of different widths separate numbers.
    if (index > 0 && next - at !== gap) {
      isEven = false
      break
    }
    // Nothing is written with a further group.
    if (shape === 0 && card === -1 && (isCode || !(isEven && at - from === sizes[0]))) {
      isEven = false
      break
    }
    gap = next - at
    separators[index] = separator
    at = next
  }
  page.steps += at - start
  groups.start = start
  groups.digitCount = digitCount
  groups.count = count
  groups.endsShape = shapeEnds !== 0
  groups.isEven = isEven
  return groups
}

/** Whether nothing goes on from a short group as the second one does, nor all in groups of its size. */
function isLost(page: Page, start: number, end: number, separator: number): boolean {
  const size = end - start
  const next = gapEnd(page, end)
  const nextEnd = groupEnd(page, next)
  page.steps += nextEnd - end
  if (nextShape(nextShape(0, 0, size), separator, nextEnd - next) !== 0) return false
  if (nextEnd - next !== size || separatorAt(page, nextEnd) !== separator) return true
  // More digits in such groups than any number has are a table or a list.
  const stride = next - start
  const digitCount = ((rowEnd(page, start, size, next - end) - start) / stride) * size
  return digitCount > digitsMax
}

/** Where the groups end that are all of this size, with gaps of this width behind; a row of them is walked once. */
function rowEnd(page: Page, start: number, size: number, gap: number): number {
  const known = page.evenRow
  if (start >= known.start && start < known.end) return known.end
  const separator = separatorAt(page, start + size)
  let at = start
  while (
    groupEnd(page, at) - at === size &&
    separatorAt(page, at + size) === separator &&
    gapEnd(page, at + size) - at - size === gap
  ) {
    at += size + gap
  }
  page.steps += at - start
  known.start = start
  known.end = at
  return at
}

function gapEnd({ codes, length }: Page, start: number): number {
  let end = start
  while (end - start < gapMax && end < length && isSeparator(codes[end]!)) end++
  return end
}

function groupEnd({ codes, length }: Page, start: number): number {
  let end = start
  while (end - start <= digitsMax && end < length && isDigit(codes[end]!)) end++
  return end
}

/** 0 for none. */
function separatorAt(page: Page, at: number): number {
  const code = codeAt(page, at)
  return isSeparator(code) ? code : 0
}

function isDigitOrBlock(code: number): boolean {
  return isDigit(code) || code === block
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isSeparator(code: number): boolean {
  return (flagsOf[code]! & separatorFlag) !== 0
}
