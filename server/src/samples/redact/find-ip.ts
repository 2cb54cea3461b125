// IPv4 and IPv6 addresses, told from versions, times, MAC addresses and the `::` of programs.
import { alnum, block, codeOf, digit, flagsOf, hex, letter } from './characters.ts'
import type { Findings } from './findings.ts'
import { codeAt, endsWord, flagsAt, hasText, isJoinedByUnderscore, type Page } from './page.ts'
import { WordTrie } from './word-trie.ts'

/** Before four numbers, these make them a version; told from their last letter on, since that is where one stands. */
const versionWords = backwards('version versions release build section chapter oid v')
const products = backwards('chrome chromium edg opr headlesschrome electron crios safari')

function backwards(words: string): WordTrie<true> {
  const trie = new WordTrie<true>()
  for (const word of words.split(' ')) trie.add([...word].reverse().join(''), true)
  return trie
}

/** At a digit behind no digit. */
export function findIpv4(page: Page, start: number, found: Findings): void {
  const before = codeAt(page, start - 1)
  if (before === block || (flagsOf[before]! & alnum) !== 0 || isJoinedByUnderscore(page, start)) {
    return
  }
  if (before === codeOf.dot && isNumberOrBlock(page, start - 2)) return
  const end = ipv4End(page, start)
  if (end === null) return
  if (!endsWord(page, end) || isVersion(page, start)) return
  if (codeAt(page, end) === codeOf.dot && isNumberOrBlock(page, end + 1)) return
  found.add('ip', start, end)
}

function ipv4End(page: Page, start: number): number | null {
  let at = start
  for (let part = 0; part < 4; part++) {
    const from = at
    let value = 0
    while (at - from < 3 && (flagsAt(page, at) & digit) !== 0)
      value = value * 10 + page.codes[at++]! - 48
    if (at === from || value > 255) return null
    if (part < 3 && codeAt(page, at++) !== codeOf.dot) return null
  }
  page.steps += at - start
  return (flagsAt(page, at) & digit) !== 0 ? null : at
}

function isNumberOrBlock(page: Page, at: number): boolean {
  return (flagsAt(page, at) & digit) !== 0 || codeAt(page, at) === block
}

function isVersion(page: Page, start: number): boolean {
  const before = codeAt(page, start - 1)
  if (before === codeOf.slash) return isWordBefore(page, start - 1, products)
  if (before !== codeOf.space && before !== codeOf.colon && before !== codeOf.equals) return false
  const gap = codeAt(page, start - 2)
  const end =
    before === codeOf.space && (gap === codeOf.colon || gap === codeOf.dot) ? start - 2 : start - 1
  return isWordBefore(page, end, versionWords)
}

/** The word stands alone, so that no longer value can have it at its end. */
function isWordBefore(page: Page, end: number, words: WordTrie<true>): boolean {
  let node = 0
  for (let at = end - 1; at >= 0; at--) {
    node = words.step(node, page.codes[at]!)
    if (node === 0) return false
    page.steps++
    if (words.entriesAt(node) === null) continue
    const before = codeAt(page, at - 1)
    if (at === 0 || before === codeOf.pageBreak || before === codeOf.space) return true
    if (before === codeOf.newline || before === codeOf.parenthesis) return true
  }
  return false
}

/** At the first colon of a run of hexadecimal digits and colons; answers where the run ends. */
export function findIpv6(page: Page, colon: number, found: Findings): number {
  let start = colon
  while (start > 0 && (flagsOf[page.codes[start - 1]!]! & hex) !== 0) start--
  let end = colon
  while (end < page.length && isRunPart(page.codes[end]!)) end++
  const tail = codeAt(page, end) === codeOf.dot ? ipv4End(page, groupStart(page, end)) : null
  if (tail !== null) end = tail
  page.steps += end - start
  const runEnd = end
  // A colon behind the address belongs to the sentence.
  while (end > colon && isLoneColon(page, end - 1)) end--
  if (!endsWord(page, end) || codeAt(page, runEnd) === block) return runEnd
  const from = addressStart(page, start, colon, end)
  if (from !== null) found.add('ip', from, zoneEnd(page, end))
  return runEnd
}

/** How many things may stand before an address with only a colon between: a name, a line, a port. */
const prefixesMax = 3

/** Where the address begins that ends with the run: with the run, or behind a colon, as in `client:2001:db8::1`. */
function addressStart(page: Page, start: number, colon: number, end: number): number | null {
  if (mayBegin(page, start, end) && isAddress(page, start, end)) return start
  if (codeAt(page, end) === codeOf.underscore) return null
  let at = colon
  for (let prefix = 0; prefix < prefixesMax && at < end; prefix++) {
    const from = ++at
    while (at < end && (flagsAt(page, at) & hex) !== 0) at++
    page.steps += at - from
    // A run of hexadecimal digits and colons is many things, so here the address must be of a range that is in use.
    if (at - from === 4 && isInUse(page, from) && isAddress(page, from, end)) return from
    if (codeAt(page, at) !== codeOf.colon) return null
  }
  return null
}

function mayBegin(page: Page, start: number, end: number): boolean {
  const before = codeAt(page, start - 1)
  if (before === block || (flagsOf[before]! & letter) !== 0 || isJoinedByUnderscore(page, start))
    return false
  // What is set off by underscores has some on both sides.
  if (codeAt(page, end) === codeOf.underscore && before !== codeOf.underscore) return false
  return !(before === codeOf.dot && isNumberOrBlock(page, start - 2))
}

function isRunPart(code: number): boolean {
  return (flagsOf[code]! & hex) !== 0 || code === codeOf.colon
}

/** Where the digits begin that end here; an address in old writing has three at most. */
function groupStart(page: Page, end: number): number {
  let start = end
  while (end - start < 4 && (flagsAt(page, start - 1) & hex) !== 0) start--
  return start
}

function isLoneColon(page: Page, at: number): boolean {
  return codeAt(page, at) === codeOf.colon && codeAt(page, at - 1) !== codeOf.colon
}

function isAddress(page: Page, start: number, end: number): boolean {
  if (end - start > 45 || end - start < 3) return false
  let groups = 0
  let isShort = false
  let digits = 0
  let allPairs = true
  let first = 0
  let at = start
  while (at < end) {
    if (codeAt(page, at) === codeOf.colon) {
      const isDouble = codeAt(page, at + 1) === codeOf.colon
      if (isDouble ? isShort : at === start) return false
      if (isDouble) isShort = true
      at += isDouble ? 2 : 1
      if (at < end && codeAt(page, at) === codeOf.colon) return false
      if (!isDouble && at >= end) return false
      continue
    }
    const from = at
    while (at < end && (flagsAt(page, at) & hex) !== 0) {
      if ((flagsAt(page, at) & digit) !== 0) digits++
      at++
    }
    if (codeAt(page, at) === codeOf.dot && at < end) {
      if (ipv4End(page, from) !== end) return false
      return isShort ? groups <= 5 : groups === 6
    }
    if (at - from > 4 || at === from) return false
    if (at - from !== 2) allPairs = false
    if (groups++ === 0) first = at - from
  }
  // Eight pairs are the address of a network card.
  if (!isShort) return groups === 8 && !allPairs
  return groups <= 7 && isTelling(page, start, end, { groups, digits, first })
}

type Counts = { groups: number; digits: number; first: number }

/** Programs write `a::b` and `[::2]` as well, so a short address must look like one that is in use. */
function isTelling(
  page: Page,
  start: number,
  end: number,
  { groups, digits, first }: Counts,
): boolean {
  if (groups === 0 || digits === 0) return false
  if (codeAt(page, start) === codeOf.colon) return groups > 1 || isLoopback(page, start, end)
  if (groups >= 4) return true
  // NAT64 is the one whose first group is short.
  return (first === 4 && isInUse(page, start)) || hasText(page, start, '64:ff9b:')
}

/** Whether the four digits from here on begin an address of the global, local and multicast ranges. */
function isInUse(page: Page, start: number): boolean {
  const [high, low] = [codeAt(page, start), codeAt(page, start + 1) | 32]
  if (high === 50 || high === 51) return true
  return (high | 32) === 102 && low >= 99 && low <= 102
}

function isLoopback(page: Page, start: number, end: number): boolean {
  if (end - start !== 3 || codeAt(page, end - 1) !== 49) return false
  // `list[::1]` is a slice, `http://[::1]` an address.
  const open = codeAt(page, start - 1) === codeOf.open
  const owner = codeAt(page, start - 2)
  return (
    !open ||
    !(
      (flagsOf[owner]! & alnum) !== 0 ||
      owner === block ||
      owner === 41 ||
      owner === 93 ||
      owner === codeOf.underscore
    )
  )
}

/** `%eth0` behind a link-local address. */
function zoneEnd(page: Page, end: number): number {
  if (codeAt(page, end) !== codeOf.percent) return end
  let at = end + 1
  while (at - end <= 15 && (flagsAt(page, at) & alnum) !== 0) at++
  page.steps += at - end
  return at > end + 1 ? at : end
}
