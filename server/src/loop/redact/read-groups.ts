// Reads a number as it is written: its digits, in groups with separators between.
import { block, codeOf } from './characters.ts'
import { codeAt, type Page } from './page.ts'

export type Groups = {
  start: number
  digits: Uint8Array
  digitCount: number
  /** Digits in each group, the separator behind it, and where it ends in the page. */
  sizes: Uint8Array
  separators: Uint8Array
  ends: Uint32Array
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
  count: 0,
  isEven: true,
}

/** At a digit behind no digit. Looks at no more than a constant number of characters; null when nothing begins here. */
export function readGroups(page: Page, start: number): Groups | null {
  groups.start = start
  groups.digitCount = 0
  groups.count = 0
  groups.isEven = true
  const before = codeAt(page, start - 1)
  const continues = isSeparator(before) && isDigitOrBlock(page, start - 2)
  let at = start
  let gap = 0
  let first = 0
  for (;;) {
    const from = at
    while (isDigit(page, at) && groups.digitCount <= digitsMax) {
      groups.digits[groups.digitCount++] = page.codes[at]! - 48
      at++
    }
    const index = groups.count++
    groups.sizes[index] = at - from
    groups.ends[index] = at
    const separator = codeAt(page, at)
    groups.separators[index] = 0
    if (groups.digitCount > digitsMax || groups.count === groupsMax) {
      groups.isEven = false
      break
    }
    if (!isSeparator(separator)) break
    if (index === 0) {
      first = separator
      // The middle of a row of short numbers begins nothing.
      if (continues && before === separator) {
        groups.isEven = false
        if (at - from < 3) return null
      }
    }
    if (separator !== first) groups.isEven = false
    if (!groups.isEven && groups.count === mixedGroupsMax) break
    let next = at
    while (next - at < gapMax && isSeparator(codeAt(page, next))) next++
    if (!isDigit(page, next)) {
      if (codeAt(page, next) === block) groups.isEven = false
      break
    }
    // Gaps of different widths separate numbers.
    if (index > 0 && next - at !== gap) {
      groups.isEven = false
      break
    }
    gap = next - at
    groups.separators[index] = separator
    at = next
  }
  page.steps += at - start
  return groups
}

function isDigitOrBlock(page: Page, at: number): boolean {
  return isDigit(page, at) || codeAt(page, at) === block
}

function isDigit(page: Page, at: number): boolean {
  const code = codeAt(page, at)
  return code >= 48 && code <= 57
}

function isSeparator(code: number): boolean {
  return (
    code === codeOf.space || code === codeOf.dash || code === codeOf.dot || code === codeOf.slash
  )
}
