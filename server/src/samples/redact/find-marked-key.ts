// Keys of vendors that are told by something in their middle or at their end, rather than by how they begin.
import { alnum, block, codeOf, digit, flagsOf, lower, tokenic } from './characters.ts'
import type { Findings } from './findings.ts'
import { codeAt, endsWord, flagsAt, hasText, isMixed, type Page, runEnd, runOf } from './page.ts'

/** Three characters, a digit and `Q~` stand before the rest of a client secret of Azure. */
const azureHead = 5
const azureTailMin = 31
const azureTailMax = 34

/** At a `~`. */
export function findAzureSecret(page: Page, at: number, found: Findings): void {
  if (codeAt(page, at - 1) !== 81 || (flagsAt(page, at - 2) & digit) === 0) return
  const start = at - azureHead
  for (let place = start; place < at - 2; place++) if (!isAzurePart(codeAt(page, place))) return
  if (codeAt(page, start - 1) === block || isAzurePart(codeAt(page, start - 1))) return
  let end = at + 1
  while (end - at <= azureTailMax + 1 && isAzurePart(codeAt(page, end))) end++
  page.steps += end - start
  // A full stop behind it ends the sentence.
  if (codeAt(page, end - 1) === codeOf.dot) end--
  const tail = end - at - 1
  if (tail < azureTailMin || tail > azureTailMax || !endsWord(page, end)) return
  if (isMixed(page, at + 1, end)) found.add('key', start, end)
}

function isAzurePart(code: number): boolean {
  return (flagsOf[code]! & tokenic) !== 0 || code === codeOf.dot || code === codeOf.tilde
}

const terraformHead = 14
const terraformTailMin = 60

/** `<14 characters>.atlasv1.<60 or more>`, at the word in the middle and its end. */
export function findTerraformToken(page: Page, word: number, end: number, found: Findings): void {
  const start = word - 1 - terraformHead
  if (codeAt(page, word - 1) !== codeOf.dot) return
  for (let at = start; at < word - 1; at++) if ((flagsAt(page, at) & alnum) === 0) return
  page.steps += terraformHead
  const stop = runEnd(page, end, runOf.tokenic)
  if (stop - end < terraformTailMin || !endsWord(page, start - 1)) return
  found.add('key', start, stop)
}

const sessionTailMin = 60

/** `00D<organization>!<session>` of Salesforce, at the end of its first three characters. */
export function findSalesforceSession(
  page: Page,
  start: number,
  body: number,
  found: Findings,
): void {
  if (codeAt(page, body - 1) !== 68) return
  const mark = runEnd(page, body, runOf.plain)
  if ((mark - start !== 15 && mark - start !== 18) || codeAt(page, mark) !== 33) return
  const end = runEnd(page, mark + 1, runOf.dotted)
  if (end - mark > sessionTailMin && isMixed(page, mark + 1, end)) found.add('key', start, end)
}

const hexKeyLength = 32
const licenseLength = 40
const rapidLength = 50

/** At a word of a length that one of them has. */
export function findMarkedWord(page: Page, start: number, end: number, found: Findings): void {
  const length = end - start
  if (length === hexKeyLength) findHexKey(page, start, end, found)
  else if (length === licenseLength) {
    if (hasText(page, end - 4, 'nral') && isMixed(page, start, end) && endsWord(page, end))
      found.add('key', start, end)
  } else if (length === rapidLength) {
    if (hasText(page, start + 10, 'msh') && hasText(page, end - 15, 'jsn'))
      found.add('key', start, end)
  }
}

const zhipuTailLength = 16

/** `<32 hex>-us12` of Mailchimp, `<32 hex>.<16 characters>` of Zhipu. */
function findHexKey(page: Page, start: number, end: number, found: Findings): void {
  const next = codeAt(page, end)
  if (next !== codeOf.dash && next !== codeOf.dot) return
  if (runEnd(page, start, runOf.hex) !== end || !isMixed(page, start, end)) return
  if (next === codeOf.dash) {
    let stop = end + 3
    if (!hasText(page, end, '-us')) return
    while (stop - end < 5 && (flagsAt(page, stop) & digit) !== 0) stop++
    if (stop > end + 3 && endsWord(page, stop)) found.add('key', start, stop)
    return
  }
  const stop = runEnd(page, end + 1, runOf.plain)
  const hasTail = stop - end - 1 === zhipuTailLength && hasLower(page, end + 1, stop)
  if (hasTail && isMixed(page, end + 1, stop) && endsWord(page, stop)) found.add('key', start, stop)
}

function hasLower(page: Page, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((flagsAt(page, at) & lower) !== 0) return true
  return false
}

const asanaHeadMin = 13
const facebookHeadMin = 14
const facebookTailLength = 27

/** `<16 digits>:<32 hex>` of Asana, `<15 digits>|<27 characters>` of Facebook, at their digits. */
export function findNumberedKey(page: Page, start: number, end: number, found: Findings): void {
  const next = codeAt(page, end)
  if (next === codeOf.colon && end - start >= asanaHeadMin) {
    const stop = runEnd(page, end + 1, runOf.hex)
    const isHex = stop - end - 1 === hexKeyLength && isMixed(page, end + 1, stop)
    if (isHex && endsWord(page, stop)) found.add('key', start, stop)
  } else if (next === codeOf.bar && end - start >= facebookHeadMin) {
    const stop = runEnd(page, end + 1, runOf.tokenic)
    const isTail = stop - end - 1 === facebookTailLength && isMixed(page, end + 1, stop)
    if (isTail && endsWord(page, stop)) found.add('key', start, stop)
  }
}
