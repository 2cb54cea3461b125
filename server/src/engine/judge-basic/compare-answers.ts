// How far an answer agrees with the right one, without understanding either: the same text, the same number,
// the same JSON value, or else the words they share.
import { streamSafe } from '../../lib/stream-safe.ts'

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
  const score = overlap(words(answer), words(right))
  return {
    score,
    reason: `The answer shares ${percent(score)} of its words with the right answer.`,
  }
}

function compareNumbers(answer: string, right: number): Agreement {
  const given = asNumber(answer)
  if (given !== null) {
    return given === right
      ? { score: 1, reason: 'The answer is the right number.' }
      : { score: 0, reason: 'The answer is another number.' }
  }
  // A number in a sentence counts if it is the only one; which of several is meant, words would have to tell.
  const numbers = [...answer.matchAll(/-?\d[\d,]*(?:\.\d+)?/g)].map((match) => asNumber(match[0]))
  return numbers.length === 1 && numbers[0] === right
    ? { score: 0.9, reason: 'The right number stands in the answer, among words.' }
    : { score: 0, reason: 'The answer does not give the right number.' }
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

function asNumber(text: string): number | null {
  const plain = text.trim().replace(/(?<=\d),(?=\d{3}\b)/g, '')
  // Only a dot parts two runs of digits: where it may be missing, a long run is tried at every place it could be parted at.
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null
}

/** Objects and arrays only: a bare word or number is no sign that JSON was meant. */
function asJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
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
    if (hasMembers(left) && hasMembers(right)) {
      for (const key of Object.keys(left))
        if (Object.hasOwn(right, key)) open.push([left[key], right[key]])
    } else if (!hasMembers(left) && !hasMembers(right)) {
      if (left === right || leafText(left) === leafText(right)) shared++
    }
  }
  return f1(shared, leafCount(a), leafCount(b))
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

function words(text: string): string[] {
  return normalized(text).match(/[\p{L}\p{N}]+/gu) ?? []
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
