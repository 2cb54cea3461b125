// Payment card numbers: 13 to 19 digits of a known issuer with a right check digit, plain or in the usual groups.
import { block, codeOf } from './characters.ts'
import type { Findings } from './findings.ts'
import { passesLuhn } from './national-id/checks.ts'
import { isTable } from './card-row.ts'
import { isPrinted } from './card-shapes.ts'
import { codeAt, endsWord, isEscaped, type Page } from './page.ts'
import { digitsMax, type Groups } from './read-groups.ts'

type Issuer = { from: number; to: number; lengths: number[] }

/** Ranges of the first four digits. */
const issuers: Issuer[] = [
  { from: 4000, to: 4999, lengths: [13, 16, 19] },
  { from: 5100, to: 5599, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  { from: 3400, to: 3499, lengths: [15] },
  { from: 3700, to: 3799, lengths: [15] },
  { from: 3000, to: 3059, lengths: [14, 16] },
  { from: 3095, to: 3095, lengths: [14, 16] },
  { from: 3600, to: 3699, lengths: [14, 16, 19] },
  { from: 3800, to: 3999, lengths: [14, 16, 19] },
  { from: 3528, to: 3589, lengths: [16, 17, 18, 19] },
  { from: 6011, to: 6011, lengths: [16, 17, 18, 19] },
  { from: 6440, to: 6599, lengths: [16, 17, 18, 19] },
  { from: 6000, to: 6099, lengths: [16] },
  { from: 6200, to: 6299, lengths: [16, 17, 18, 19] },
  { from: 8100, to: 8299, lengths: [16] },
  { from: 2200, to: 2204, lengths: [16, 17, 18, 19] },
  { from: 9792, to: 9792, lengths: [16] },
  { from: 5018, to: 5018, lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: 5019, to: 5019, lengths: [16] },
  { from: 5020, to: 5020, lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: 5038, to: 5038, lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: 5060, to: 5069, lengths: [16, 18, 19] },
  { from: 5080, to: 5089, lengths: [16] },
  { from: 5612, to: 5612, lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: 5893, to: 5893, lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: 6304, to: 6304, lengths: [13, 14, 15, 16, 17, 18, 19] },
  { from: 6360, to: 6363, lengths: [16] },
  { from: 6759, to: 6763, lengths: [13, 14, 15, 16, 17, 18, 19] },
]

const issued = Array.from({ length: 20 }, () => new Uint8Array(10_000))
for (const { from, to, lengths } of issuers) {
  for (const length of lengths) issued[length]!.fill(1, from, to + 1)
}

const zerosMax = 20

/** At the first digit of a number; tries every grouping that may begin here and takes the longest. */
export function findCard(page: Page, groups: Groups, found: Findings): void {
  const { digits, sizes, ends, cardShapes, count } = groups
  if (groups.digitCount < 13) return
  const first = digits[0]! * 1000 + digits[1]! * 100 + digits[2]! * 10 + digits[3]!
  let total = 0
  let end = 0
  for (let group = 0; group < count; group++) {
    total += sizes[group]!
    if (total > digitsMax) break
    if (total < 13 || issued[total]![first] !== 1) continue
    if (group > 0 && !isPrinted(cardShapes[group]!) && !isEvenAt(groups, group)) continue
    page.steps += total
    if (!passesLuhn(digits, total)) continue
    if (sizes[0] === 4 && sizes[1] === 4 && isTable(page, groups.start, isIssued)) return
    const stop = wholeEnd(page, ends[group]!)
    if (standsAlone(page, groups.start, stop)) end = stop
  }
  if (end > 0) found.add('card', groups.start, end)
}

function isIssued(digits: Uint8Array, count: number): boolean {
  const first = digits[0]! * 1000 + digits[1]! * 100 + digits[2]! * 10 + digits[3]!
  return issued[count]![first] === 1 && passesLuhn(digits, count)
}

/** All groups of one size, only the last one shorter, and nothing behind; with underscores programs write any number so. */
function isEvenAt({ sizes, separators, count, isEven }: Groups, last: number): boolean {
  if (!isEven || last !== count - 1 || separators[0] === codeOf.underscore) return false
  for (let group = 1; group < last; group++) if (sizes[group] !== sizes[0]) return false
  return sizes[last]! <= sizes[0]!
}

/** Lists of cards separate them by almost anything, so only words and decimals around the digits count against it. */
function standsAlone(page: Page, start: number, end: number): boolean {
  return endsWord(page, start - 1) && !isDecimal() && endsWord(page, end)

  function isDecimal(): boolean {
    return isPoint(page, start - 1, start - 2) || isPoint(page, end, end + 1)
  }
}

/** Programs that take a number for a decimal write it with zeros behind a point, which then belong to it. */
function wholeEnd(page: Page, end: number): number {
  if (codeAt(page, end) !== codeOf.dot) return end
  let stop = end + 1
  while (stop - end <= zerosMax && codeAt(page, stop) === 48) stop++
  page.steps += stop - end
  return stop > end + 1 && endsWord(page, stop) ? stop : end
}

function isPoint(page: Page, point: number, beyond: number): boolean {
  // Nobody writes a decimal with `[.]`.
  if (codeAt(page, point) !== codeOf.dot || isEscaped(page, point)) return false
  const code = codeAt(page, beyond)
  return code === block || (code >= 48 && code <= 57)
}
