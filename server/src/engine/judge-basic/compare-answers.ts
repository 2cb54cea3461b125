// How far an answer agrees with the right one, without understanding either: the same text, the same number,
// the same JSON value, or else the words they share. Of a few words all have to be the same.
import { quoteLong } from '../../lib/long-numbers.ts'
import { streamSafe } from '../../lib/stream-safe.ts'

/** A right answer of so many words is a choice, a name or a code, and half of it is no answer. */
const shortWordsMax = 6

export type Agreement = {
  /** 0 to 1. */
  score: number
  reason: string
}

export function compareAnswers(answer: string, right: string): Agreement {
  if (answer.trim() === '') return { score: 0, reason: 'The answer is empty.' }
  if (normalized(answer) === normalized(right)) {
    return { score: 1, reason: 'The answer is the right answer, case and spacing aside.' }
  }
  const number = asNumber(right)
  if (number !== null) return compareNumbers(answer, number)
  const value = asJson(right)
  if (value !== undefined) return compareJson(answer, value)
  if (isShort(right)) return compareShort(answer, right)
  const score = overlap(words(answer), words(right))
  return {
    score,
    reason: `The answer shares ${percent(score)} of its words with the right answer.`,
  }
}

function compareNumbers(answer: string, right: number): Agreement {
  const given = asNumber(answer) ?? asNumber(bare(normalized(answer)))
  if (given === right) return { score: 1, reason: 'The answer is the right number.' }
  return given === null
    ? { score: 0, reason: 'The answer is not a number alone.' }
    : { score: 0, reason: 'The answer is another number.' }
}

function compareShort(answer: string, right: string): Agreement {
  return bare(normalized(answer)) === bare(normalized(right))
    ? { score: 1, reason: 'The answer is the right answer, case, spacing and punctuation aside.' }
    : { score: 0, reason: 'The right answer is short, and the answer is another.' }
}

function compareJson(answer: string, right: unknown): Agreement {
  const given = asJson(answer)
  if (given === undefined)
    return { score: 0, reason: 'The right answer is JSON, and the answer is not.' }
  const score = sharedValues(given, right)
  return score === 1
    ? { score, reason: 'The answer is the same JSON value.' }
    : {
        score,
        reason: `The answer shares ${percent(score)} of its JSON values with the right answer.`,
      }
}

function normalized(text: string): string {
  return streamSafe(text).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}

const aroundWords = new Set(' .,;:!?…。、！？"\'“”‘’«»`*_()[]{}<>')

/** The normalized text without the punctuation around it, unless it is nothing else. */
function bare(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && aroundWords.has(text[from]!)) from++
  while (from < to && aroundWords.has(text[to - 1]!)) to--
  return from === to ? text : text.slice(from, to)
}

/** More digits than a number holds, and zeros before the first, belong to codes, in which each counts. */
const digitsMax = 15

function asNumber(text: string): number | null {
  const plain = text.trim().replace(/(?<=\d),(?=\d{3}\b)/g, '')
  // Only a dot parts two runs of digits: where it may be missing, a long run is tried at every place it could be parted at.
  if (!/^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return null
  const digits = plain.replace(/e.*$|\D/gi, '')
  if (/^[-+]?0\d/.test(plain) || digits.length > digitsMax) return null
  const number = Number(plain)
  return Number.isFinite(number) ? number : null
}

/** Objects and arrays only: a bare word or number is no sign that JSON was meant. */
function asJson(text: string): unknown {
  try {
    const read: unknown = JSON.parse(text)
    // Of long numbers all digits are compared.
    const value = /\d{16}/.test(text) ? (JSON.parse(quoteLong(text)) as unknown) : read
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The F1 measure of the values that stand at the same place in both. Members may come in any order, items of a list may not. */
function sharedValues(a: unknown, b: unknown): number {
  let shared = 0
  const open: [unknown, unknown][] = [[a, b]]
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [left, right] = pair
    // A call of another tool has nothing of the right one, whatever the tool was given.
    if (isCall(left) && isCall(right) && left.name !== right.name) continue
    if (hasMembers(left) && hasMembers(right)) {
      for (const key of Object.keys(left))
        if (Object.hasOwn(right, key)) open.push([left[key], right[key]])
    } else if (!hasMembers(left) && !hasMembers(right)) {
      if (left === right || leafText(left) === leafText(right)) shared++
    }
  }
  return f1(shared, leafCount(a), leafCount(b))
}

function isCall(value: unknown): value is { name: string; arguments: unknown } {
  return hasMembers(value) && typeof value.name === 'string' && 'arguments' in value
}

function leafCount(root: unknown): number {
  let count = 0
  const open = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (!hasMembers(value)) count++
    else for (const entry of Object.values(value)) open.push(entry)
  }
  return count
}

function hasMembers(value: unknown): value is Record<string, unknown> {
  if (Array.isArray(value)) return value.length > 0
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function leafText(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(normalized(value)) : JSON.stringify(value)
}

/** Letters of scripts that have no spaces between words. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`
const anyUnspaced = new RegExp(unspaced, 'gv')
const word = new RegExp(String.raw`${unspaced}|[[\p{L}\p{N}]--${unspaced}]+`, 'gv')
/** Where words are not told apart, about so many letters are one. */
const lettersPerWord = 2

/** Of a script without spaces, each letter by itself. */
function words(text: string): string[] {
  return normalized(text).match(word) ?? []
}

function isShort(text: string): boolean {
  const spaced = text.split(/\s+/).filter((piece) => /[\p{L}\p{N}]/u.test(piece))
  const letters = text.match(anyUnspaced)?.length ?? 0
  return Math.max(spaced.length, letters / lettersPerWord) <= shortWordsMax
}

/** The F1 measure of two lists, each entry counted as often as it stands in both. */
function overlap(a: string[], b: string[]): number {
  const left = new Map<string, number>()
  for (const entry of b) left.set(entry, (left.get(entry) ?? 0) + 1)
  let shared = 0
  for (const entry of a) {
    const count = left.get(entry) ?? 0
    if (count > 0) {
      shared++
      left.set(entry, count - 1)
    }
  }
  return f1(shared, a.length, b.length)
}

function f1(shared: number, ofA: number, ofB: number): number {
  return ofA + ofB === 0 ? 0 : (2 * shared) / (ofA + ofB)
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
