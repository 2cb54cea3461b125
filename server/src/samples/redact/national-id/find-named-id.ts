// A number directly behind a name that says what it is, whatever its format: `national ID: 1234567890`.
import {
  alnum,
  block,
  codeOf,
  digit,
  flagsOf,
  isQuote,
  letter,
  lower,
  upper,
} from '../characters.ts'
import type { Findings } from '../findings.ts'
import { codeAt, flagsAt, type Page, textOf } from '../page.ts'
import { WordTrie } from '../word-trie.ts'
import type { IdName } from './id-names.ts'

/** At the end of a name. Looks at a constant number of characters. */
export function findNamedId(
  page: Page,
  start: number,
  end: number,
  named: IdName,
  found: Findings,
): void {
  const value = valueStart(page, end, named.needsSign === true)
  if (value === -1 || (flagsAt(page, value) & (value === end ? digit : alnum)) === 0) return
  const stop = valueStop(page, value, named)
  if (stop === -1 || isExcepted(page, start, named)) return
  found.add('national_id', value, stop)
}

const linkMax = 48
/** Words that stand between a name and its number. */
const links = new WordTrie<true>()
const linkWords =
  'number num no nr card code id is es est ist numéro número numero nummer numer n° № số 号 号码 號 號碼 番号'
for (const word of linkWords.split(' ')) links.add(word, true)

/** Behind the words and signs between; -1 where a sentence goes on. */
function valueStart(page: Page, end: number, needsSign: boolean): number {
  let at = end
  let hasSign = false
  let isBehindShort = false
  while (at - end < linkMax) {
    const code = codeAt(page, at)
    if (code === codeOf.space || code === 9) {
      at++
      continue
    }
    const link = (flagsOf[code]! & digit) === 0 ? linkEnd(page, at) : at
    if (link > at) {
      isBehindShort = link - at === 2
      hasSign = true
      at = link
      continue
    }
    if (code === codeOf.parenthesis) at = bracketsEnd(page, at)
    else if (code === codeOf.newline ? hasSign : isLinkSign(code)) at++
    else if (code === codeOf.dot && isBehindShort) at++
    else break
    hasSign ||= code === codeOf.colon || code === codeOf.equals || code === 35
    isBehindShort = false
  }
  page.steps += at - end
  return needsSign && !hasSign ? -1 : at
}

/** Behind the longest of them that is a whole word here, or the same place. */
function linkEnd(page: Page, from: number): number {
  let end = from
  let at = codeAt(page, from) === codeOf.underscore ? from + 1 : from
  let node = 0
  while ((node = links.step(node, codeAt(page, at))) !== 0) {
    at++
    if (links.entriesAt(node) === null) continue
    if (codeAt(page, at - 1) > 127 || (flagsAt(page, at) & lower) === 0) end = at
  }
  page.steps += at - from
  return end
}

function isLinkSign(code: number): boolean {
  return (
    code === codeOf.colon ||
    code === codeOf.equals ||
    code === codeOf.star ||
    code === codeOf.bar ||
    code === codeOf.dash ||
    code === codeOf.greater ||
    code === 35 ||
    code === 93 ||
    isQuote(code)
  )
}

const bracketsMax = 24

/** Behind words in brackets, such as another name of it; or else behind the bracket. */
function bracketsEnd(page: Page, open: number): number {
  let at = open + 1
  while (at - open < bracketsMax && isInBrackets(codeAt(page, at))) at++
  page.steps += at - open
  return codeAt(page, at) === 41 ? at + 1 : open + 1
}

function isInBrackets(code: number): boolean {
  return (flagsOf[code]! & letter) !== 0 || code === codeOf.space || code > 127
}

/** The letters and digits that were read last, in capitals; one for all calls. */
const letters = new Uint8Array(32)
let count = 0
let digits = 0

/** Where the number ends that begins here; -1 where it is none. */
function valueStop(page: Page, start: number, named: IdName): number {
  const { min, max, digitsMin, fits } = named
  count = 0
  digits = 0
  let end = pieceEnd(page, start, max)
  if (end === -1 || (digits === 0 && !isSeries(page, start, end))) return -1
  const isEnough = (): boolean => count >= min && digits >= digitsMin
  // Groups may have spaces between; behind a first one that is long enough the sentence goes on.
  const isOne = isEnough()
  while (!isOne && codeAt(page, end) === codeOf.space) {
    const next = groupEnd(page, end + 1, max)
    if (next === -1) break
    end = next
  }
  page.steps += end - start
  return isEnough() && endsValue(page, end) && (fits?.(letters, count) ?? true) ? end : -1
}

const seriesMax = 3

/** The letters before some numbers, rather than a word of the sentence. */
function isSeries(page: Page, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((flagsAt(page, at) & upper) === 0) return false
  return end - start <= seriesMax
}

/** Letters and digits with single dashes, dots and slashes between; -1 when there are too many. */
function pieceEnd(page: Page, start: number, max: number): number {
  let at = start
  for (;;) {
    const flags = flagsAt(page, at)
    if ((flags & alnum) === 0) {
      if (!isJoint(codeAt(page, at)) || (flagsAt(page, at + 1) & alnum) === 0) return at
    } else {
      if (count === max) return -1
      put(codeAt(page, at), flags)
    }
    at++
  }
}

/** Digits, or a letter or two, that nothing is joined to; -1 for others and when there are too many. */
function groupEnd(page: Page, start: number, max: number): number {
  let at = start
  const wanted = (flagsAt(page, start) & digit) !== 0 ? digit : upper
  while ((flagsAt(page, at) & wanted) !== 0 && at - start <= max) at++
  const size = at - start
  if (size === 0 || (wanted === upper && size > 2) || count + size > max) return -1
  // Only the check digit may be set off in another way.
  const isLast = codeAt(page, at) === codeOf.dash && isCheck(page, at + 1)
  const end = isLast ? at + 2 : at
  if ((flagsAt(page, end) & alnum) !== 0 || !endsValue(page, end)) return -1
  for (at = start; at < end; at++) {
    const flags = flagsAt(page, at)
    if ((flags & alnum) !== 0) put(codeAt(page, at), flags)
  }
  return end
}

function isCheck(page: Page, at: number): boolean {
  return (flagsAt(page, at) & (digit | upper)) !== 0 && (flagsAt(page, at + 1) & alnum) === 0
}

function put(code: number, flags: number): void {
  letters[count++] = (flags & lower) !== 0 ? code - 32 : code
  if ((flags & digit) !== 0) digits++
}

function isJoint(code: number): boolean {
  return code === codeOf.dash || code === codeOf.dot || code === codeOf.slash
}

/** Not inside an address, a name, or something of which the rest was replaced. */
function endsValue(page: Page, end: number): boolean {
  const after = codeAt(page, end)
  if (after === block || after === codeOf.at || after === codeOf.underscore) return false
  const beyond = codeAt(page, end + 1)
  const goesOn = beyond === block || (flagsOf[beyond]! & alnum) !== 0
  return !(goesOn && (isJoint(after) || after === codeOf.colon || after === codeOf.plus))
}

const wordMax = 14

/** Whether a word stands before the name that makes it the number of a thing. */
function isExcepted(page: Page, start: number, { exceptBehind }: IdName): boolean {
  if (exceptBehind === undefined || start === 0) return false
  const end = start - 1
  let from = end
  while (end - from < wordMax && isWordPart(codeAt(page, from - 1))) from--
  page.steps += end - from
  return exceptBehind.has(textOf(page, from, end).toLowerCase())
}

function isWordPart(code: number): boolean {
  return (flagsOf[code]! & letter) !== 0 || (code > 127 && code !== block)
}
