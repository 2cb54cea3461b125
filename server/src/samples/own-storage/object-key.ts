// Names of objects in a workspace's bucket, and what a sample's row remembers of its object: which bucket, which text,
// which key.
import { createHash } from 'node:crypto'
import { isId } from '../../lib/id.ts'

/** Everything Hone writes for a workspace lies under this, and nothing else is ever deleted. */
export function folderOf(prefix: string, workspaceId: string): string {
  return `${prefix === '' ? '' : `${prefix}/`}hone/${checked(workspaceId)}/`
}

export function sampleKey(folder: string, sampleId: string, createdAt: Date): string {
  return `${folder}samples/${createdAt.toISOString().slice(0, 10)}/${checked(sampleId)}.json`
}

/** For what was said in the test of an attempt. No two are the same, so that none is ever written over. */
export function testWordsKey(folder: string, attemptId: string, id: string): string {
  return `${folder}tests/${checked(attemptId)}/${checked(id)}.json`
}

/** The attempt in whose test it was said; null for any other object. */
export function attemptOfKey(key: string): string | null {
  return /\/tests\/([0-9a-f-]{36})\/[^/]+$/.exec(key)?.[1] ?? null
}

/** Whether a key that was written down names something under a folder, for whoever reads keys as paths too. */
export function liesIn(folder: string, key: string): boolean {
  if (!key.startsWith(folder)) return false
  const parts = key.slice(folder.length).split('/')
  return parts.every((part) => /^(?!\.+$)[\w.-]+$/.test(part))
}

export type ObjectReference = { storageId: string; digest: string; key: string }

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export function writeReference({ storageId, digest, key }: ObjectReference): string {
  return `${storageId}:${digest}:${key}`
}

/** Null for what Hone did not write. */
export function readReference(text: string): ObjectReference | null {
  const match = /^([0-9a-f-]{36}):([\w-]{43}):(.+)$/s.exec(text)
  if (!match) return null
  const [, storageId = '', digest = '', key = ''] = match
  return { storageId, digest, key }
}

/** An id becomes part of a path only when it is one. */
function checked(id: string): string {
  if (!isId(id)) throw new Error('an id that is none would have become a path')
  return id
}
