// Reads a number as it is written: its digits, in groups with separators between.
import { block, flagsOf, separator as separatorFlag } from './characters.ts'
import { nextCardShape } from './card-shapes.ts'
import { nextShape } from './national-id/digit-shapes.ts'
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
  cardShapes: new Int32Array(groupsMax),
  count: 0,
  isEven: true,
}

/** At a digit behind no digit. Looks at no more than a constant number of characters; null when nothing begins here. */
export function readGroups(page: Page, start: number): Groups | null {
  const { codes, length } = page
  const { digits, sizes, separators, ends, shapes, cardShapes } = groups
  const before = codeAt(page, start - 1)
  const continues = isSeparator(before) && isDigitOrBlock(codeAt(page, start - 2))
  let isEven = true
  let digitCount = 0
  let count = 0
  let at = start
  let gap = 0
  let first = 0
  let shape = 0
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
    card = nextCardShape(card, at - from)
    cardShapes[count] = card
    const index = count++
    separator = at < length ? codes[at]! : 0
    if (digitCount > digitsMax || count === groupsMax) {
      isEven = false
      break
    }
    if (!isSeparator(separator)) break
    if (index === 0) {
      first = separator
      // The middle of a row of short numbers begins nothing.
      if (continues && before === separator) {
        isEven = false
        if (at - from < 3) return null
      }
    }
    if (separator !== first) isEven = false
    if (!isEven && count === mixedGroupsMax) break
    let next = at + 1
    while (next - at < gapMax && next < length && isSeparator(codes[next]!)) next++
    if (next >= length) break
    if (!isDigit(codes[next]!)) {
      if (codes[next] === block) isEven = false
      break
    }
    // Gaps of different widths separate numbers.
    if (index > 0 && next - at !== gap) {
      isEven = false
      break
    }
    // Nothing is written with a further group.
    if (shape === 0 && card === -1 && !(isEven && at - from === sizes[0])) {
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
  groups.isEven = isEven
  return groups
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
