// One pass over a page. At every place where something may begin, the scanners that could find it are asked; each of
// them looks only so far around that all together stay linear in the length of the page.
import {
  alnum,
  base64,
  block,
  codeOf,
  digit,
  flagsOf,
  letter,
  lower,
  separator,
  space,
  upper,
} from './characters.ts'
import { findCard } from './find-card.ts'
import { bareSecretMin, findBareSecret } from './find-cloud-key.ts'
import { findFlagPassword } from './find-command-password.ts'
import { findEmail } from './find-email.ts'
import { findIpv4, findIpv6 } from './find-ip.ts'
import { findPgpass } from './find-login-file.ts'
import { findAzureSecret, findMarkedWord, findNumberedKey } from './find-marked-key.ts'
import { findPrivateKey } from './find-private-key.ts'
import { findDiscordToken, findTelegramToken } from './find-token.ts'
import { findUrlPassword } from './find-url-password.ts'
import { Findings, type Span } from './findings.ts'
import {
  findDigitId,
  findDigitsAndLetter,
  findLetterId,
  findSpacedId,
} from './national-id/find-national-id.ts'
import { codeAt, flagsAt, type Page } from './page.ts'
import { PlaceReader } from './places.ts'
import { readGroups } from './read-groups.ts'
import { skipDull } from './skip-dull.ts'
import { lookForNames, lookForWords, mayBeginWord } from './words.ts'

/** Numbers of fewer digits, with all their groups, are nothing but a part of an address. */
const numberMin = 6

export function scan(page: Page): Span[] {
  const found = new Findings()
  const { codes, length } = page
  const places = page.places && new PlaceReader(page.places)
  let clauseHasText = false
  let ipv6From = 0
  let at = 0
  while (at < length) {
    const code = codes[at]!
    const flags = flagsOf[code]!
    if ((flags & alnum) !== 0) {
      clauseHasText = true
      if ((flags & letter) !== 0 && (places === null || codeAt(page, at - 1) !== block)) {
        at = skipDull(page, at, places ? Math.min(places.nextFrom(at), length) : length)
        if ((flagsAt(page, at) & alnum) === 0) continue
      }
      at = readWord(page, at, places, found)
      continue
    }
    if (code > 127) {
      clauseHasText = true
      if (mayBeginWord[code] === 1) lookForNames(page, at, found)
      at++
      continue
    }
    switch (code) {
      case codeOf.at:
        findEmail(page, at, found)
        break
      case codeOf.dash:
        if (codeAt(page, at + 1) === codeOf.dash && codeAt(page, at - 1) !== codeOf.dash)
          findPrivateKey(page, at, found)
        if (page.command !== null) findFlagPassword(page, at, found)
        break
      case codeOf.bar:
      case codeOf.backtick:
        if (!found.covers(at)) page.command = null
        break
      case codeOf.colon:
        if (codeAt(page, at + 1) === codeOf.slash && codeAt(page, at + 2) === codeOf.slash)
          findUrlPassword(page, at, found)
        if (at >= ipv6From) ipv6From = findIpv6(page, at, found)
        break
      case codeOf.tilde:
        findAzureSecret(page, at, found)
        break
      case codeOf.pageBreak:
        // No word counts beyond it: two clauses, of which the first is empty.
        found.clause += 2
        clauseHasText = false
        page.command = null
        break
      case codeOf.newline:
      case codeOf.dot:
      case codeOf.semicolon:
        // What ends inside a value goes on when the value is replaced.
        if (found.covers(at)) break
        if (code !== codeOf.dot && codeAt(page, at - 1) !== codeOf.backslash) page.command = null
        if (clauseHasText && (code === codeOf.newline || (flagsAt(page, at + 1) & space) !== 0)) {
          found.clause++
          clauseHasText = false
        }
    }
    at++
  }
  return found.spans()
}

/** Letters and digits up to the next that is neither; answers where they end. */
function readWord(page: Page, start: number, places: PlaceReader | null, found: Findings): number {
  const { codes, length } = page
  const first = flagsOf[codes[start]!]!
  let digits = first & digit
  let rest = 0
  let flags = 0
  let end = start + 1
  for (; end < length; end++) {
    flags = flagsOf[codes[end]!]!
    if ((flags & alnum) === 0) break
    digits += flags & digit
    rest |= flags
  }
  page.steps += end - start
  // Only a text with places has markers.
  const continues = places !== null && codeAt(page, start - 1) === block
  if (!continues) {
    if (mayBeginWord[codes[start]!] === 1) lookForWords(page, start, found)
    if (end - start > 2) {
      if (digits > 0 && digits < end - start) findLetterId(page, start, end, found)
      if (codes[start]! >= 77 && codes[start]! < 80) findDiscordToken(page, start, found)
    } else if ((first & letter) !== 0 && (flagsAt(page, end + 1) & digit) !== 0) {
      findSpacedId(page, start, end, found)
    }
    if (end - start >= bareSecretMin) findMarkedWord(page, start, end, found)
    if (end - start >= bareSecretMin || (end < length && (flags & base64) !== 0))
      findBareSecret(page, start, found)
  }
  const hasGap = places !== null && places.nextFrom(start) < end
  if (digits === end - start && !hasGap) findNumber(page, start, end, found)
  else if (digits > 0 || (rest & upper) !== 0 || continues || hasGap) {
    lookInside(page, start, end, continues, places, found)
  }
  return end
}

/** Numbers in a word, and names that begin at a capital or behind something unseen. */
function lookInside(
  page: Page,
  start: number,
  end: number,
  continues: boolean,
  places: PlaceReader | null,
  found: Findings,
): void {
  let before = continues ? alnum : 0
  for (let at = start; at < end; at++) {
    const flags = flagsOf[page.codes[at]!]!
    if ((flags & digit) !== 0 && (before & alnum) !== digit) {
      findNumber(page, at, digitsEnd(page, at), found)
    }
    if (before !== 0) {
      if (places?.gapBefore(at)) lookForWords(page, at, found)
      else if (
        (flags & upper) !== 0 &&
        (before & lower) !== 0 &&
        mayBeginWord[page.codes[at]!] === 1
      )
        lookForNames(page, at, found)
    }
    before = flags
  }
}

function digitsEnd(page: Page, start: number): number {
  let end = start + 1
  while ((flagsAt(page, end) & digit) !== 0) end++
  page.steps += end - start
  return end
}

function findNumber(page: Page, start: number, end: number, found: Findings): void {
  const after = codeAt(page, end)
  if (after === codeOf.dot) findIpv4(page, start, found)
  else if (after === codeOf.colon && end - start === 4) findPgpass(page, start, end, found)
  if (end - start < numberMin) {
    if ((flagsOf[after]! & separator) === 0 && after !== codeOf.underscore) return
    // Most short numbers are words of a sentence.
    if ((flagsAt(page, end + 1) & (digit | separator)) === 0) return
  }
  const groups = readGroups(page, start, end)
  if (groups === null) return
  if (groups.digitCount >= 8) {
    findCard(page, groups, found)
    if (groups.endsShape) findDigitId(page, groups, found)
    findTelegramToken(page, start, groups.ends[0]!, found)
    findNumberedKey(page, start, groups.ends[0]!, found)
  }
  if (groups.digitCount >= numberMin) findDigitsAndLetter(page, groups, found)
}
