// A password that is all there is of a text behind its name, as the strings of JSON are.
import { block, codeOf, digit, flagsOf, letter, space, valueEnd } from './characters.ts'
import { codeAt, type Page } from './page.ts'

/**
 * Where one ends that has signs which end a value elsewhere. Null where there are none, or only those of a program or template;
 * and for several words, or one without a letter and a digit.
 */
export function wholeSecretStop(page: Page, start: number, value: number): number | null {
  if (!isAllBehindName(page, start, value)) return null
  let opened = false
  let all = 0
  let end = value
  for (; end < page.length && page.codes[end] !== codeOf.pageBreak; end++) {
    const code = page.codes[end]!
    const isOdd = code === block || code === codeOf.bar || (flagsOf[code]! & space) !== 0
    if (isOdd || end - value === valueMax || (opened && isClosing(code))) {
      page.steps += end - value
      return null
    }
    opened ||= isOpening(code)
    all |= flagsOf[code]!
  }
  page.steps += end - value
  const isMade = (all & letter) !== 0 && (all & digit) !== 0 && (all & valueEnd) !== 0
  return isMade ? end : null
}

/** Whether the value stands as the name and the text of a segment do. */
export function isAllBehindName(page: Page, start: number, value: number): boolean {
  if (codeAt(page, value - 1) !== codeOf.space || codeAt(page, value - 2) !== codeOf.colon)
    return false
  return isFirst(page, start)
}

const valueMax = 256

/** As long as names are that texts go by. */
const nameMax = 64

/** Whether nothing stands before the name but what may be part of it, which nothing is that had to be replaced: it was longer. */
function isFirst(page: Page, start: number): boolean {
  let at = start - 1
  while (start - at <= nameMax && at >= 0 && !isStop(page.codes[at]!)) at--
  page.steps += start - at
  return at < 0 || page.codes[at] === codeOf.pageBreak
}

function isStop(code: number): boolean {
  return code === codeOf.pageBreak || code === block
}

function isOpening(code: number): boolean {
  return code === codeOf.parenthesis || code === codeOf.open || isAngleOrBrace(code, 0)
}

function isClosing(code: number): boolean {
  return code === codeOf.parenthesis + 1 || code === codeOf.open + 2 || isAngleOrBrace(code, 2)
}

/** `<` and `{`, or what stands so far behind them among the characters: `>` and `}`. */
function isAngleOrBrace(code: number, behind: number): boolean {
  return code === codeOf.less + behind || code === codeOf.brace + behind
}
