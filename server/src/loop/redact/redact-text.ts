// Replaces the sensitive values of a text by markers; a text that is JSON stays JSON.
import { readJsonText } from './json-text.ts'
import { addFound, type Found } from './kinds.ts'
import {
  findPlaces,
  PlaceTaker,
  type RedactedSegments,
  redactSegments,
  type Segment,
} from './redact-segments.ts'

export type RedactedText = { text: string; found: Found; steps: number }

/**
 * Redacting what was redacted changes nothing. A text that is a JSON object, list or string stays one: its strings
 * are redacted as texts of their own, and a number that is sensitive becomes a string.
 */
export function redactText(text: string): RedactedText {
  const { texts, found, steps } = redactTexts([{ text, name: '' }])
  return { text: texts[0]!, found, steps }
}

/** Texts in texts in texts: every level of escaping doubles the backslashes, so none is really this deep. */
const depthMax = 8
/** JSON shorter than this holds nothing that could be replaced together with its quotes or as a number. */
const jsonMin = 12

/** As `redactSegments`, but looks into texts that are JSON. */
export function redactTexts(segments: readonly Segment[], depth = 0): RedactedSegments {
  const plain: Segment[] = []
  const inside = new Map<number, RedactedText>()
  for (const [index, { text, name }] of segments.entries()) {
    const redacted =
      depth < depthMax && text.length >= jsonMin ? redactJsonText(text, name, depth) : null
    if (redacted) inside.set(index, redacted)
    plain.push(redacted ? { text: '', name: '' } : { text, name })
  }
  const result = redactSegments(plain)
  for (const [index, { text, found, steps }] of inside) {
    result.texts[index] = text
    addFound(result.found, found)
    result.steps += steps
  }
  return result
}

function redactJsonText(text: string, name: string, depth: number): RedactedText | null {
  const values = readJsonText(text)
  if (values === null) return null
  const written = values.map(({ start, end }) => {
    const raw = text.slice(start, end)
    return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
  })
  const keys = redactKeys(written.filter((_, index) => values[index]!.isKey))
  const redacted = redactTexts(
    values.map(({ isKey, key }, index) => {
      if (isKey) return { text: '', name: '' }
      return { text: written[index]!, name: key === -1 ? name : keys.of(written[key]!) }
    }),
    depth + 1,
  )
  addFound(redacted.found, keys.found)
  const pieces: string[] = []
  let from = 0
  for (const [index, { start, end, isString, isKey }] of values.entries()) {
    const before = written[index]!
    const after = isKey ? keys.of(before) : redacted.texts[index]!
    if (after === before) continue
    const json = JSON.stringify(after)
    pieces.push(text.slice(from, start), isString ? json.slice(1, -1) : json)
    from = end
  }
  pieces.push(text.slice(from))
  return {
    text: pieces.join(''),
    found: redacted.found,
    steps: redacted.steps + keys.steps + text.length,
  }
}

/**
 * Keys come before what they name: a value is read together with the key as it will be stored, so that a second
 * redaction reads the same. A key that comes up again counts once.
 */
export function redactKeys(keys: readonly string[]): {
  of(key: string): string
  found: Found
  steps: number
} {
  const each = [...new Set(keys)]
  const { texts, found, steps } = redactSegments(each.map((text) => ({ text, name: '' })))
  const changed = new Map(each.map((key, index) => [key, texts[index]!]))
  return { of: (key) => changed.get(key) ?? key, found, steps }
}

/**
 * Texts that stand next to each other, such as the parts of a message: what is in each, and values that were cut in
 * two, which are found in the joined text.
 */
export function redactParts(texts: readonly string[]): RedactedSegments {
  const each = redactTexts(texts.map((text) => ({ text, name: '' })))
  const joined = redactJoints(each.texts)
  addFound(joined.found, each.found)
  return { ...joined, steps: joined.steps + each.steps }
}

/** Only the values that reach from one of the texts into the next. */
export function redactJoints(texts: readonly string[]): RedactedSegments {
  const { places, steps } = findPlaces(texts.join(''))
  const found: Found = {}
  const taker = new PlaceTaker(places, found)
  let offset = 0
  const redacted = texts.map((text) => {
    const [start, end] = [offset, offset + text.length]
    offset = end
    // Whole ones were seen to where the text could be read on its own.
    return taker.replaceIn(text, start, (place) => place.start >= start && place.end <= end)
  })
  return { texts: redacted, found, steps }
}
