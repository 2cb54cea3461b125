// Names that callers make up and that are stored beside a conversation: request ids, sources, models, imports. One that
// holds something sensitive is stored as a fingerprint, so that it still tells one from another.
import { createHash } from 'node:crypto'
import { tagCharactersMax } from '#contract/limits.ts'
import { isId } from '../../lib/id.ts'
import { redactText } from '../redact/redact-text.ts'

export function storableName(name: string): string {
  return redactText(name).text === name ? name : fingerprint(name)
}

/** The same for an id that is mostly one of ours, and then holds nothing. */
export function storableId(id: string): string {
  return isId(id) ? id : storableName(id)
}

/** A tag that nobody checked: whatever stood in a header, which may be longer than a row of an index can be. */
export function storableTag(tag: string): string {
  return tag.length > tagCharactersMax ? fingerprint(tag) : storableName(tag)
}

function fingerprint(name: string): string {
  return `sha256:${createHash('sha256').update(name).digest('base64url')}`
}
