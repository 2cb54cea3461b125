// One pass over a page. At every place where something may begin, the scanners that could find it are asked; each of
// them looks only so far around that all together stay linear in the length of the page.
import { alnum, block, codeOf, digit, flagsOf, letter, lower, space, upper } from './characters.ts'
import { findUrlPassword } from './find-assigned-secret.ts'
import { findCard } from './find-card.ts'
import { findBareSecret } from './find-cloud-key.ts'
import { findEmail } from './find-email.ts'
import { findIpv4, findIpv6 } from './find-ip.ts'
import { findPrivateKey } from './find-private-key.ts'
import { findDiscordToken, findTelegramToken } from './find-token.ts'
import { Findings, type Span } from './findings.ts'
import {
  findDigitId,
  findDigitsAndLetter,
  findLetterId,
  findSpacedId,
} from './national-id/find-national-id.ts'
import { codeAt, flagsAt, gapBefore, type Page } from './page.ts'
import { readGroups } from './read-groups.ts'
import { isTrieSymbol } from './word-trie.ts'
import { type WordEntry, words } from './words.ts'

export function scan(page: Page): Span[] {
  const found = new Findings()
  const { codes, length } = page
  let clauseHasText = false
  let ipv6From = 0
  const look = (entry: WordEntry, start: number, end: number): void =>
    entry.look(page, start, end, found)
  const lookForName = (entry: WordEntry, start: number, end: number): void => {
    if (entry.isName) entry.look(page, start, end, found)
  }
  let before = 0
  for (let at = 0; at < length; at++) {
    const code = codes[at]!
    const flags = flagsOf[code]!
    const previous = before
    before = code === block ? alnum : flags
    if ((flags & alnum) !== 0) {
      clauseHasText = true
      if ((flags & digit) !== 0 && (previous & alnum) !== digit) findNumber(page, at, found)
      if ((previous & alnum) === 0) {
        words.walk(page, at, look)
        findWord(page, at, found)
      } else if (gapBefore(page, at)) {
        words.walk(page, at, look)
      } else if ((flags & upper) !== 0 && (previous & lower) !== 0) {
        words.walk(page, at, lookForName)
      }
      continue
    }
    if (code > 127) {
      clauseHasText = true
      if (code !== block && isTrieSymbol(code)) words.walk(page, at, lookForName)
      continue
    }
    switch (code) {
      case codeOf.at:
        findEmail(page, at, found)
        break
      case codeOf.dash:
        if (codeAt(page, at - 1) !== codeOf.dash) findPrivateKey(page, at, found)
        break
      case codeOf.colon:
        if (codeAt(page, at + 1) === codeOf.slash && codeAt(page, at + 2) === codeOf.slash)
          findUrlPassword(page, at, found)
        if (at >= ipv6From) ipv6From = findIpv6(page, at, found)
        break
      case codeOf.pageBreak:
        // No word counts beyond it: two clauses, of which the first is empty.
        found.clause += 2
        clauseHasText = false
        break
      case codeOf.newline:
      case codeOf.dot:
      case codeOf.semicolon:
        if (clauseHasText && (code === codeOf.newline || (flagsAt(page, at + 1) & space) !== 0)) {
          found.clause++
          clauseHasText = false
        }
    }
  }
  return found.spans()
}

function findNumber(page: Page, at: number, found: Findings): void {
  findIpv4(page, at, found)
  const groups = readGroups(page, at)
  if (groups === null) return
  if (groups.digitCount >= 8) {
    findCard(page, groups, found)
    findDigitId(page, groups, found)
    findTelegramToken(page, at, groups.ends[0]!, found)
  }
  if (groups.digitCount >= 6) findDigitsAndLetter(page, groups, found)
}

function findWord(page: Page, start: number, found: Findings): void {
  let end = start
  let digits = 0
  let flags = 0
  while (end < page.length && ((flags = flagsOf[page.codes[end]!]!) & alnum) !== 0) {
    if ((flags & digit) !== 0) digits++
    end++
  }
  page.steps += end - start
  if (end - start <= 2) {
    if ((flagsAt(page, start) & letter) !== 0 && (flagsAt(page, end + 1) & digit) !== 0)
      findSpacedId(page, start, end, found)
    return
  }
  if (digits > 0 && digits < end - start) findLetterId(page, start, end, found)
  findBareSecret(page, start, found)
  const first = page.codes[start]! - 77
  if (first >= 0 && first < 3) findDiscordToken(page, start, found)
}
