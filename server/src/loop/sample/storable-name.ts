// Names that callers make up and that are stored beside a conversation: request ids, sources. One that holds something
// sensitive is stored as a fingerprint, so that it still tells one from another.
import { createHash } from 'node:crypto'
import { redactText } from '../redact/redact-text.ts'

export function storableName(name: string): string {
  if (redactText(name).text === name) return name
  return `sha256:${createHash('sha256').update(name).digest('base64url')}`
}
