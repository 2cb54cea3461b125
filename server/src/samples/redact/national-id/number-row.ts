// Whether a number in groups of one size is part of something longer: a row of a table, a list of years, or a code of several
// parts such as a UUID. Without a word that says so, three numbers out of such a row are no number of a person.
import { alnum, block, codeOf, digit, flagsOf, space } from '../characters.ts'
import type { Findings } from '../findings.ts'
import { markerAt } from '../kinds.ts'
import { codeAt, flagsAt, type Page } from '../page.ts'
import type { Groups } from '../read-groups.ts'

/** Shorter ones are words of the sentence around it. */
const neighborMin = 3
const neighborMax = 9
const gapMax = 3

/** For the number that ends with this group. */
export function isInRow(page: Page, groups: Groups, last: number, found: Findings): boolean {
  const { start, sizes, separators, ends } = groups
  for (let group = 1; group <= last; group++) if (sizes[group] !== sizes[0]) return false
  const separator = separators[0]!
  const end = ends[last]!
  if (last === 0 || separator === 0) return false
  if (separator === codeOf.dash) return isInCode(page, start, end)
  return isNumberBefore(page, start, separator, found) || isNumberBehind(page, end, separator)
}

/** Digits before and behind were looked at by whoever asks. */
function isInCode(page: Page, start: number, end: number): boolean {
  const isBefore =
    codeAt(page, start - 1) === codeOf.dash && (flagsAt(page, start - 2) & alnum) !== 0
  return isBefore || (codeAt(page, end) === codeOf.dash && (flagsAt(page, end + 1) & alnum) !== 0)
}

/** What is replaced itself is not there the next time, so it does not count. */
function isNumberBefore(page: Page, start: number, separator: number, found: Findings): boolean {
  let at = start - 1
  while (start - 1 - at < gapMax && codeAt(page, at) === separator) at--
  if (at === start - 1 || found.covers(at)) return false
  let first = at
  while (at - first < neighborMax && (flagsAt(page, first) & digit) !== 0) first--
  page.steps += start - first
  return at - first >= neighborMin && isBorder(codeAt(page, first))
}

/** What is replaced behind it is a number in a marker the next time. */
function isNumberBehind(page: Page, end: number, separator: number): boolean {
  let at = end
  while (at - end < gapMax && codeAt(page, at) === separator) at++
  if (at === end) return false
  if (codeAt(page, at) === block) return isNumberMarker(page, at)
  let stop = at
  while (stop - at < neighborMax && (flagsAt(page, stop) & digit) !== 0) stop++
  page.steps += stop - end
  return stop - at >= neighborMin && isBorder(codeAt(page, stop))
}

function isBorder(code: number): boolean {
  return (
    code === 0 ||
    code === codeOf.comma ||
    code === codeOf.semicolon ||
    (flagsOf[code]! & space) !== 0
  )
}

function isNumberMarker(page: Page, at: number): boolean {
  const marker = page.places && markerAt(page.text, page.places.startAt(at))
  return marker?.kind === 'card' || marker?.kind === 'national_id'
}
