// Replaces the sensitive values in a JSON value: in its texts, its keys, and its numbers, which then become texts.
import { copyJson } from './copy-json.ts'
import { addFound, type Found } from './kinds.ts'
import type { Segment } from './redact-segments.ts'
import { redactJoints, redactKeys, redactTexts } from './redact-text.ts'

export type Redacted<Value> = { value: Value; found: Found }

/** Shorter numbers are nothing. */
const numberMin = 8

/** The value itself is left as it is. Text parts that stand next to each other are also read as one text. */
export function redactJson<Value>(value: Value): Redacted<Value> {
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
  })
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
    list: (list) => addFound(found, redactTextParts(list)),
  })
  return { value: copy as Value, found }
}

function textOf(item: string | number): string {
  if (typeof item === 'string') return item
  const text = String(item)
  return text.length < numberMin ? '' : text
}

type TextPart = { type: 'text'; text: string }

/** A value that was cut in two by the border between text parts of one message. */
function redactTextParts(list: unknown[]): Found {
  const found: Found = {}
  let run: TextPart[] = []
  for (let index = 0; index <= list.length; index++) {
    const item = list[index]
    if (isTextPart(item)) {
      run.push(item)
      continue
    }
    if (run.length > 1) {
      const joined = redactJoints(run.map(({ text }) => text))
      for (const [at, part] of run.entries()) part.text = joined.texts[at]!
      addFound(found, joined.found)
    }
    if (run.length > 0) run = []
  }
  return found
}

function isTextPart(item: unknown): item is TextPart {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const { type, text } = item as Record<string, unknown>
  return Object.hasOwn(item, 'type') && type === 'text' && typeof text === 'string'
}
