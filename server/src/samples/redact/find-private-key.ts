// Private keys in PEM and its kin, found from the dashes of their first or last line; also where one end is cut off.
import { base64, block, codeOf, flagsOf, keyGap, space } from './characters.ts'
import type { Findings } from './findings.ts'
import { codeAt, flagsAt, hasText, type Page, runEnd, runOf } from './page.ts'

const labelMax = 48
const dashesMin = 4
/** A line of a key is longer than this; shorter words are prose or the last line. */
const bodyWordMin = 16
/** Lines before those of the key, and how much of each is passed over at once. */
const headersMax = 4
const lineMax = 200

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
  while (isPuttyGap(codeAt(page, at))) at++
  while (at < page.length && page.codes[at]! >= 48 && page.codes[at]! <= 57) at++
  page.steps += at - end
  const body = wordsEnd(page, at)
  if (body !== null) found.add('private_key', start, body)
}

const keyWords = ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ', 'PGP ']

/** How a whole key in PEM begins that was encoded once more, as secrets of Kubernetes are: as far as no rest decides. */
export const encodedBeginnings = keyWords.map((word) => {
  const line = `-----BEGIN ${word}PRIVATE`
  return Buffer.from(line.slice(0, line.length - (line.length % 3))).toString('base64')
})

const encodedMin = 60
/** As long as programs that encode make lines. */
const wrappedLengths = [64, 76]

/** At one of these beginnings. */
export function findEncodedKey(
  page: Page,
  start: number,
  beginning: string,
  found: Findings,
): void {
  for (let i = 0; i < beginning.length; i++) {
    if (codeAt(page, start + i) !== beginning.charCodeAt(i)) return
  }
  const line = runEnd(page, start, runOf.base64)
  if (line - start < encodedMin) return
  const isWrapped = wrappedLengths.includes(line - start)
  found.add('private_key', start, isWrapped ? linesEnd(page, start) : line)
}

function isPuttyGap(code: number): boolean {
  if (code === codeOf.pageBreak) return false
  return (flagsOf[code]! & space) !== 0 || code === codeOf.colon
}

function dashesEnd(page: Page, start: number): number {
  let end = start
  while (codeAt(page, end) === codeOf.dash) end++
  page.steps += end - start
  return end
}

function hasDashes(page: Page, start: number): boolean {
  let end = start
  while (end - start < dashesMin && codeAt(page, end) === codeOf.dash) end++
  page.steps += end - start
  return end - start === dashesMin
}

/** Behind the closing dashes of a line that speaks of a private key. */
function labelEnd(page: Page, word: number): number | null {
  let isPrivate = false
  for (let at = word; at < word + labelMax && at < page.length; at++) {
    page.steps++
    const code = page.codes[at]!
    if (code === codeOf.newline || isBorder(code)) return null
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
    if (isBorder(code)) break
    if (code === codeOf.dash && hasDashes(page, at)) break
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
  let at = from
  for (let headers = 0; headers <= headersMax && at < page.length; headers++) {
    const start = gapEnd(page, at)
    at = start
    while (at < page.length && at - start < bodyWordMin && isBase64(page.codes[at]!)) at++
    page.steps += at - start + 1
    if (at - start >= bodyWordMin) return linesEnd(page, start)
    if (at === start && hasDashes(page, at)) return null
    if (isBorder(codeAt(page, at))) return null
    at = Math.max(Math.min(runEnd(page, at, runOf.line), at + lineMax), at + 1)
  }
  return null
}

const longGap = 32

/** A short gap is walked at little cost. A key reaches over no more long ones than are remembered. */
function gapEnd(page: Page, from: number): number {
  let end = from
  while (end - from < longGap && (flagsAt(page, end) & keyGap) !== 0) end++
  page.steps += end - from
  if (end - from < longGap) return end
  const known = page.keyGaps.find((gap) => from >= gap.start && from < gap.end)
  if (known) return known.end
  let start = from
  while ((flagsAt(page, start - 1) & keyGap) !== 0) start--
  while ((flagsAt(page, end) & keyGap) !== 0) end++
  page.steps += end - start
  page.keyGaps.push({ start, end })
  if (page.keyGaps.length > headersMax + 1) page.keyGaps.shift()
  return end
}

/** At a line of a key: the end of the last. However many keys are said to begin before it, it is walked once. */
function linesEnd(page: Page, from: number): number {
  const known = page.keyBody
  if (from >= known.start && from < known.end) return known.end
  let end = from
  let at = from
  while (at < page.length) {
    const start = gapEnd(page, at)
    at = start
    while (at < page.length && isBase64(page.codes[at]!)) at++
    page.steps += at - start + 1
    const closes = at > start && codeAt(page, at - 1) === codeOf.equals
    if (at - start < bodyWordMin && !closes) break
    end = at
  }
  known.start = from
  known.end = end
  return end
}

/** The start of the lines of a key that end here, as when the first half was cut off. */
function bodyStart(page: Page, end: number): number | null {
  let start: number | null = null
  let at = end
  while (at > 0) {
    while (at > 0 && (flagsOf[page.codes[at - 1]!]! & keyGap) !== 0) at--
    const wordEnd = at
    while (at > 0 && (flagsOf[page.codes[at - 1]!]! & base64) !== 0) at--
    page.steps += wordEnd - at + 1
    const isLast = start === null && at < wordEnd && codeAt(page, wordEnd - 1) === codeOf.equals
    if (wordEnd - at < bodyWordMin && !isLast) break
    start = at
  }
  return start
}

function isBase64(code: number): boolean {
  return (flagsOf[code]! & base64) !== 0
}

/** A key that was cut off does not reach into the next text, nor over what was replaced. */
function isBorder(code: number): boolean {
  return code === block || code === codeOf.pageBreak
}
