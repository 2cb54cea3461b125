// Private keys in PEM and its kin, found from the dashes of their first or last line; also where one end is cut off.
import { base64, block, codeOf, flagsOf, space } from './characters.ts'
import type { Findings } from './findings.ts'
import { codeAt, flagsAt, hasText, type Page } from './page.ts'

const labelMax = 48
const dashesMin = 4
/** A line of a key is longer than this; shorter words are prose or the last line. */
const bodyWordMin = 16

/** At the first of some dashes. */
export function findPrivateKey(page: Page, start: number, found: Findings): void {
  const dashes = dashesEnd(page, start)
  if (dashes - start < dashesMin) return
  const word = codeAt(page, dashes) === codeOf.space ? dashes + 1 : dashes
  const begins = hasText(page, word, 'begin ')
  if (!begins && !hasText(page, word, 'end ')) return
  const label = labelEnd(page, word)
  if (label === null) return
  if (begins) {
    const end = bodyEnd(page, label)
    if (end !== null) found.add('private_key', start, end)
  } else {
    const from = bodyStart(page, start)
    if (from !== null) found.add('private_key', from, label)
  }
}

/** `PuTTY-User-Key-File-2: ...` has its secret behind `Private-Lines: 14`. */
export function findPuttyKey(page: Page, start: number, end: number, found: Findings): void {
  let at = end
  while ((flagsAt(page, at) & space) !== 0 || codeAt(page, at) === codeOf.colon) at++
  while (at < page.length && page.codes[at]! >= 48 && page.codes[at]! <= 57) at++
  page.steps += at - end
  const body = wordsEnd(page, at)
  if (body !== null) found.add('private_key', start, body)
}

function dashesEnd(page: Page, start: number): number {
  let end = start
  while (codeAt(page, end) === codeOf.dash) end++
  page.steps += end - start
  return end
}

/** Behind the closing dashes of a line that speaks of a private key. */
function labelEnd(page: Page, word: number): number | null {
  let isPrivate = false
  for (let at = word; at < word + labelMax && at < page.length; at++) {
    page.steps++
    const code = page.codes[at]!
    if (code === codeOf.newline || code === block) return null
    if (hasText(page, at, 'private key')) isPrivate = true
    if (code !== codeOf.dash) continue
    return isPrivate ? dashesEnd(page, at) : null
  }
  return null
}

function bodyEnd(page: Page, label: number): number | null {
  let at = label
  let word = 0
  let longest = 0
  // Dashes end the search, so the same text is never searched for two keys.
  for (; at < page.length; at++) {
    const code = page.codes[at]!
    if (code === block) break
    if (code === codeOf.dash && dashesEnd(page, at) - at >= dashesMin) break
    word = (flagsOf[code]! & base64) !== 0 ? word + 1 : 0
    longest = Math.max(longest, word)
  }
  page.steps += at - label
  if (longest >= bodyWordMin && codeAt(page, at) === codeOf.dash) {
    const dashes = dashesEnd(page, at)
    const closing = codeAt(page, dashes) === codeOf.space ? dashes + 1 : dashes
    if (hasText(page, closing, 'end ')) return labelEnd(page, closing) ?? dashes
  }
  return wordsEnd(page, label)
}

/** The end of the words that look like lines of a key; lines such as `Proc-Type: 4,ENCRYPTED` may stand before. */
function wordsEnd(page: Page, from: number): number | null {
  let end: number | null = null
  let at = from
  let headers = 0
  while (at < page.length) {
    while (at < page.length && isBetween(page.codes[at]!)) at++
    const start = at
    while (at < page.length && (flagsOf[page.codes[at]!]! & base64) !== 0) at++
    page.steps += at - start + 1
    if (at === start && dashesEnd(page, at) - at >= dashesMin) break
    const closes = end !== null && at > start && codeAt(page, at - 1) === codeOf.equals
    if (at - start >= bodyWordMin || closes) end = at
    else if (end !== null || headers++ >= 4 || isBorder(codeAt(page, at))) break
    else at = lineEnd(page, at)
  }
  return end
}

function lineEnd(page: Page, from: number): number {
  let at = from
  while (at < page.length && at - from < 200 && isInLine(page.codes[at]!)) at++
  page.steps += at - from
  return Math.max(at, from + 1)
}

/** The start of the lines of a key that end here, as when the first half was cut off. */
function bodyStart(page: Page, end: number): number | null {
  let start: number | null = null
  let at = end
  while (at > 0) {
    while (at > 0 && isBetween(page.codes[at - 1]!)) at--
    const wordEnd = at
    while (at > 0 && (flagsOf[page.codes[at - 1]!]! & base64) !== 0) at--
    page.steps += wordEnd - at + 1
    const isLast = start === null && at < wordEnd && codeAt(page, wordEnd - 1) === codeOf.equals
    if (wordEnd - at < bodyWordMin && !isLast) break
    start = at
  }
  return start
}

function isInLine(code: number): boolean {
  return code !== codeOf.newline && !isBorder(code)
}

/** A key that was cut off does not reach into the next text, nor over what was replaced. */
function isBorder(code: number): boolean {
  return code === block || code === codeOf.pageBreak
}

/** What separates the lines of a key, also when it is written as strings of a program. */
function isBetween(code: number): boolean {
  return (
    ((flagsOf[code]! & space) !== 0 && code !== codeOf.pageBreak) ||
    code === codeOf.quote ||
    code === codeOf.apostrophe ||
    code === codeOf.comma ||
    code === codeOf.backslash
  )
}
