// Replaces the sensitive values of a text by markers; a text that is JSON stays JSON.
import { base64, flagsOf, tokenic } from './characters.ts'
import { privateMembers } from './find-jwk.ts'
import { type JsonPiece, readJsonText, stringEnd } from './json-text.ts'
import { addFound, type Found, type Kind, markerOf } from './kinds.ts'
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
  const inside = new Map<number, RedactedText>()
  for (let index = 0; depth < depthMax && index < segments.length; index++) {
    const { text, name } = segments[index]!
    const redacted = text.length < jsonMin ? null : redactJsonText(text, name, depth)
    if (redacted) inside.set(index, redacted)
  }
  if (inside.size === 0) return redactSegments(segments)
  const result = redactSegments(
    segments.map((segment, index) => (inside.has(index) ? { text: '', name: '' } : segment)),
  )
  for (const [index, { text, found, steps }] of inside) {
    result.texts[index] = text
    addFound(result.found, found)
    result.steps += steps
  }
  return result
}

function redactJsonText(text: string, name: string, depth: number): RedactedText | null {
  const pieces = readJsonText(text)
  if (pieces === null) return null
  const writtenKeys = pieces.keys.map(({ start, end }) => stringAt(text, start, end))
  const keys = redactKeys(writtenKeys)
  const written = segmentsOf(text, name, pieces.values, keys)
  const redacted = redactTexts(written, depth + 1)
  addFound(redacted.found, keys.found)
  const changes: Change[] = []
  for (const [index, { start, end }] of pieces.keys.entries()) {
    const before = writtenKeys[index]!
    const after = keys.of(before)
    if (after !== before) changes.push({ start, end, json: JSON.stringify(after).slice(1, -1) })
  }
  for (const [index, { start, end, isString }] of pieces.values.entries()) {
    const after = redacted.texts[index]!
    if (after === written[index]!.text) continue
    const json = JSON.stringify(after)
    changes.push({ start, end, json: isString ? json.slice(1, -1) : json })
  }
  return {
    text: changes.length === 0 ? text : withChanges(text, changes),
    found: redacted.found,
    steps: redacted.steps + keys.steps + text.length,
  }
}

/** What stands between these places of a JSON text. */
function stringAt(text: string, start: number, end: number): string {
  const raw = text.slice(start, end)
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
}

function segmentsOf(
  text: string,
  name: string,
  values: readonly JsonPiece[],
  keys: RedactedKeys,
): Segment[] {
  const names = new Map([[-1, name]])
  const hasKeys = text.includes('"kty"')
  return values.map(({ start, end, key }) => {
    let named = names.get(key)
    if (named === undefined) {
      const written = stringAt(text, key, stringEnd(text, key))
      named = (hasKeys && privateMembers.get(written)?.name) || keys.of(written)
      names.set(key, named)
    }
    return { text: stringAt(text, start, end), name: named }
  })
}

type Change = { start: number; end: number; json: string }

function withChanges(text: string, changes: Change[]): string {
  changes.sort((a, b) => a.start - b.start)
  const parts: string[] = []
  let from = 0
  for (const { start, end, json } of changes) {
    parts.push(text.slice(from, start), json)
    from = end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

/**
 * Keys come before what they name: a value is read together with the key as it will be stored, so that a second
 * redaction reads the same. A key that comes up again counts once.
 */
export function redactKeys(keys: Iterable<string>): RedactedKeys {
  const each = [...new Set(keys)]
  const { texts, found, steps } = redactSegments(each.map((text) => ({ text, name: '' })))
  const changed = new Map<string, string>()
  for (const [index, key] of each.entries()) {
    if (texts[index] !== key) changed.set(key, texts[index]!)
  }
  return { of: (key) => (changed.size === 0 ? key : (changed.get(key) ?? key)), found, steps }
}

export type RedactedKeys = { of(key: string): string; found: Found; steps: number }

/** Whether one of the texts ends inside a word or code and the next goes on with it. */
export function areCut(texts: readonly string[]): boolean {
  for (let index = 1; index < texts.length; index++) {
    const before = texts[index - 1]!
    if (isOfCode(before.charCodeAt(before.length - 1)) && isOfCode(texts[index]!.charCodeAt(0)))
      return true
  }
  return false
}

function isOfCode(code: number): boolean {
  return (flagsOf[code]! & (tokenic | base64)) !== 0
}

/**
 * Only the values that reach from one of the texts into the next, in texts that nothing was replaced in yet: the first part
 * of a long key is a key already, and once it is replaced nobody can tell what its rest is.
 */
export function redactCuts(texts: readonly string[], isApart?: IsApart): RedactedSegments {
  return redactJoints(texts, isApart, 0)
}

/** How far behind the border of two texts a value may begin that is told by what stands before the border. */
const nameReach = 64
/** What nobody but a secret looks like, also with something else than text in its middle. */
const secrets: ReadonlySet<Kind> = new Set(['private_key', 'jwt', 'cloud_key', 'key'])

type IsApart = (index: number) => boolean

/**
 * Only the values that reach from one of the texts into the next, and those at the beginning of one whose name is in the
 * one before. Where an image or a thought stands before a text, `isApart` says so: then secrets only, because numbers
 * that merely label images would make one together.
 */
export function redactJoints(
  texts: readonly string[],
  isApart: IsApart = () => false,
  reach = nameReach,
): RedactedSegments {
  const { places, steps } = findPlaces(texts.join(''))
  const found: Found = {}
  const taker = new PlaceTaker(places, found)
  let offset = 0
  const redacted = texts.map((text, index) => {
    const [start, end] = [offset, offset + text.length]
    offset = end
    // Counted as if what is replaced were markers already, so that a second redaction reaches as far.
    let shorter = 0
    return taker.replaceIn(text, start, (place) => {
      const entersApart = place.start < start ? isApart(index) : false
      const leavesApart = place.end > end ? isApart(index + 1) : false
      const isCut = place.start < start || place.end > end
      // Whole ones were seen to where the text could be read on its own, unless their names are not in it.
      const isNear = index > 0 && place.start - start - shorter < reach && !isJsonOwn(text)
      const isJoined = isCut ? !entersApart && !leavesApart : isNear && !isApart(index)
      const isTaken = isJoined || ((isCut || isNear) && secrets.has(place.kind))
      if (isTaken) {
        const length = Math.min(place.end, end) - Math.max(place.start, start)
        shorter += length - markerOf(place.kind).length
      }
      return !isTaken
    })
  })
  return { texts: redacted, found, steps }
}

/** What is in an object or list has its own names, and a number there could not become a marker without quotes. */
function isJsonOwn(text: string): boolean {
  return /^\s*[{[]/.test(text) && readJsonText(text) !== null
}
