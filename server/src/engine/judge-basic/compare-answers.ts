// How far an answer agrees with the right one, without understanding either: the same text, the same number,
// the same JSON value, or else the words they share.
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
  const places: Places = new Map()
  const score = overlap(leaves(given, places), leaves(right, places))
  return score === 1
    ? { score, reason: 'The answer is the same JSON value.' }
    : {
        score,
        reason: `The answer shares ${percent(score)} of its JSON values with the right answer.`,
      }
}

function normalized(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
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

/** Numbers of places, by the place around each and its key there: written out, the paths of a deep value outgrow it. */
type Places = Map<string, number>

/** Each value with its place. Members may come in any order, items of a list may not. */
function leaves(root: unknown, places: Places): string[] {
  const found: string[] = []
  const open: { value: unknown; place: number }[] = [{ value: root, place: 0 }]
  for (let top = open.pop(); top; top = open.pop()) {
    const { value, place } = top
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (members.length === 0) found.push(`${place} ${leafText(value)}`)
    for (const [key, entry] of members)
      open.push({ value: entry, place: placeOf(places, place, key) })
  }
  return found
}

function placeOf(places: Places, around: number, key: string): number {
  const name = `${around}/${key}`
  const known = places.get(name)
  if (known !== undefined) return known
  places.set(name, places.size + 1)
  return places.size
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
  return a.length + b.length === 0 ? 0 : (2 * shared) / (a.length + b.length)
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
