// Email addresses, found from their `@`.
import { alnum, block, codeOf, denseLetter, farLetter, flagsOf, hex, letter } from './characters.ts'
import type { Findings } from './findings.ts'
import { codeAt, flagsAt, hasText, type Page } from './page.ts'
import { WordTrie } from './word-trie.ts'

/** Endings of file names that no domain has, as in `icon@2x.png`. */
const fileEndings = new WordTrie<true>()
for (const ending of 'png jpg jpeg gif svg webp ico bmp tiff pdf css scss js jsx ts tsx json html htm xml yml yaml txt csv tgz gz exe dll class jar wav ttf woff'.split(
  ' ',
)) {
  fileEndings.add(ending, true)
}
/** The standard allows more before the `@`, but the others are far more often what an address is written next to. */
const isLocalMark = new Uint8Array(0x10000)
for (const mark of "._+-~'") isLocalMark[mark.charCodeAt(0)] = 1

export function findEmail(page: Page, at: number, found: Findings): void {
  if (page.passwordAt === at) return
  // Where words have no spaces between, an address ends where ASCII ends; only if that gives none is all taken.
  let address = span(page, at, alnum | farLetter)
  if (!address && page.places) address = span(page, at, alnum | farLetter | denseLetter)
  if (address) found.add('email', address.start, address.end)
}

function span(page: Page, at: number, letters: number): { start: number; end: number } | null {
  const start = localStart(page, at, letters)
  if (start === at) return null
  const end =
    codeAt(page, at + 1) === codeOf.open ? literalEnd(page, at) : domainEnd(page, at, letters)
  if (end === null) return null
  // The address of a repository names nobody.
  if (at - start === 3 && codeAt(page, end) === codeOf.colon && hasText(page, start, 'git'))
    return null
  return { start, end }
}

function localStart(page: Page, at: number, letters: number): number {
  if (codeAt(page, at - 1) === codeOf.quote) return quotedStart(page, at)
  let start = at
  while (start > 0) {
    const code = page.codes[start - 1]!
    if ((flagsOf[code]! & letters) === 0 && isLocalMark[code] === 0) break
    start--
  }
  page.steps += at - start
  while (start < at && (flagsAt(page, start) & letters) === 0) start++
  return start
}

const quotedMax = 64

function quotedStart(page: Page, at: number): number {
  for (let start = at - 2; start >= 0 && at - start <= quotedMax; start--) {
    const code = page.codes[start]!
    page.steps++
    if (code === codeOf.quote) return start < at - 2 ? start : at
    if (
      code === codeOf.newline ||
      code === codeOf.pageBreak ||
      code === codeOf.at ||
      code === codeOf.semicolon ||
      code === block
    )
      return at
    if (code === codeOf.dot && flagsAt(page, start + 1) === flagsOf[codeOf.space]) return at
  }
  return at
}

function isAddressPart(page: Page, at: number): boolean {
  const code = codeAt(page, at)
  return (flagsAt(page, at) & hex) !== 0 || code === codeOf.dot || code === codeOf.colon
}

/** The end of `@[203.0.113.7]` with its closing bracket. */
function literalEnd(page: Page, at: number): number | null {
  let end = at + 2
  while (end - at < 60 && isAddressPart(page, end)) end++
  page.steps += end - at
  return end - at > 5 && codeAt(page, end) === 93 ? end + 1 : null
}

function domainEnd(page: Page, at: number, letters: number): number | null {
  let end = at + 1
  let labelStart = end
  let best: number | null = null
  while (end <= page.length) {
    const code = codeAt(page, end)
    if (end < page.length && ((flagsOf[code]! & letters) !== 0 || code === codeOf.dash)) {
      end++
      continue
    }
    const length = end - labelStart
    if (length === 0 || length > 63) break
    if (labelStart > at + 1) best = topDomainEnd(page, labelStart, end) ?? best
    if (code !== codeOf.dot) break
    labelStart = ++end
  }
  page.steps += end - at
  return best
}

/** The last label of a domain has no dash, so one behind it belongs to the sentence: `mia@example.org—she`. */
function topDomainEnd(page: Page, start: number, labelEnd: number): number | null {
  const isEncoded = labelEnd - start > 4 && hasText(page, start, 'xn--')
  let end = isEncoded ? labelEnd : start
  while (end < labelEnd && page.codes[end] !== codeOf.dash) end++
  page.steps += end - start
  if (end - start < 2 || codeAt(page, end) === block) return null
  if ((flagsAt(page, end) & alnum) !== 0) return null
  return isEncoded || isTopDomain(page, start, end) ? end : null
}

function isTopDomain(page: Page, start: number, end: number): boolean {
  let node = 0
  for (let at = start; at < end; at++) {
    const code = page.codes[at]!
    if ((flagsOf[code]! & (letter | farLetter | denseLetter)) === 0) return false
    if (at === start || node !== 0) node = fileEndings.step(node, code)
  }
  page.steps += end - start
  return node === 0 || fileEndings.entriesAt(node) === null
}
