// Replaces the sensitive values in a JSON value: in its texts, its keys, and its numbers, which then become texts.
import { copyJson } from './copy-json.ts'
import { addFound, type Found } from './kinds.ts'
import type { Segment } from './redact-segments.ts'
import { areCut, redactCuts, redactJoints, redactKeys, redactTexts } from './redact-text.ts'
import { jsonNumberMin } from './too-short.ts'

export type Redacted<Value> = { value: Value; found: Found }

/** The value itself is left as it is. Text parts that stand next to each other are also read as one text. */
export function redactJson<Value>(value: Value): Redacted<Value> {
  return redactValue(value) ?? redactCutValue(value)
}

/** One with text parts that end inside a word: what goes on in the next of them is replaced before the rest is. */
function redactCutValue<Value>(value: Value): Redacted<Value> {
  const found: Found = {}
  const mended = copyJson(value, {
    value: (item) => item,
    key: (key) => key,
    list: (list) => addFound(found, redactTextParts(list, redactCuts)),
  }) as Value
  const redacted = redactValue(mended, true)!
  addFound(redacted.found, found)
  return redacted
}

/** Null for a value with text parts that end inside a word, unless they were seen to. */
function redactValue<Value>(value: Value, isMended = false): Redacted<Value> | null {
  let isCut = false
  const segments: Segment[] = []
  const names = new Set<string>()
  copyJson(value, {
    value(item, name) {
      segments.push({ text: textOf(item), name })
      return item
    },
    key(key) {
      names.add(key)
      return key
    },
    list(list) {
      if (!isMended) isCut ||= hasCutParts(list)
    },
  })
  if (isCut) return null
  const keys = redactKeys(names)
  for (const segment of segments) segment.name = keys.of(segment.name)
  const { texts, found } = redactTexts(segments)
  addFound(found, keys.found)
  let next = 0
  const copy = copyJson(value, {
    value(item) {
      const before = segments[next]!.text
      const after = texts[next++]!
      return after === before ? item : after
    },
    key: (key) => keys.of(key),
    list: (list) => addFound(found, redactTextParts(list, redactJoints)),
  })
  return { value: copy as Value, found }
}

function textOf(item: string | number): string {
  if (typeof item === 'string') return item
  const text = String(item)
  return text.length < jsonNumberMin ? '' : text
}

type TextPart = { type: 'text'; text: string; developer?: unknown }

/** A value that was cut off from its beginning or its name by the border between text parts of one message. */
function redactTextParts(list: unknown[], redact: typeof redactCuts): Found {
  const found: Found = {}
  let run: TextPart[] = []
  /** The parts of the run that something else than text stands before. */
  let apart: Set<number> | null = null
  for (let index = 0; index <= list.length; index++) {
    const item = list[index]
    const goesOn = isTextPart(item) && isSameTurn(run.at(-1), item)
    if (goesOn) {
      run.push(item)
      continue
    }
    if (run.length > 0 && isPassedOver(item)) {
      apart = (apart ?? new Set<number>()).add(run.length)
      continue
    }
    if (run.length > 1) {
      const { texts, found: more } = redact(
        run.map(({ text }) => text),
        apart === null ? undefined : (part) => apart!.has(part),
      )
      for (const [at, part] of run.entries()) part.text = texts[at]!
      addFound(found, more)
    }
    run = isTextPart(item) ? [item] : []
    apart = null
  }
  return found
}

/** All instructions are in one list, and what a developer says is not of the turn of what a system says. */
function isSameTurn(before: TextPart | undefined, part: TextPart): boolean {
  return before === undefined || before.developer === part.developer
}

/** Said of those that stand next to each other, and more than that where others stand between. */
function hasCutParts(list: unknown[]): boolean {
  if (list.length < 2 || !list.some(isTextPart)) return false
  return areCut(list.filter(isTextPart).map(({ text }) => text))
}

/** A text goes on behind an image, and behind a thought of the model. */
function isPassedOver(item: unknown): boolean {
  return isPart(item) && (item.type === 'image' || item.type === 'thinking')
}

function isTextPart(item: unknown): item is TextPart {
  return isPart(item) && item.type === 'text' && typeof item.text === 'string'
}

function isPart(item: unknown): item is Record<string, unknown> {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  return Object.hasOwn(item, 'type')
}
