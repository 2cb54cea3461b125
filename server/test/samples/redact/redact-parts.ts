// The text parts of one message, redacted the way a recorded message is.
import type { Found } from '#server/samples/redact/kinds.ts'
import { redactJson } from '#server/samples/redact/redact-json.ts'

export function redactParts(texts: readonly string[]): { texts: string[]; found: Found } {
  const { value, found } = redactJson(texts.map((text) => ({ type: 'text', text })))
  return { texts: value.map(({ text }) => text), found }
}
