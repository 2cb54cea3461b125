// What is said of a record of the loop that is not there, or not as the caller read it.
import { Refusal } from './refusal.ts'
import { isId } from '../lib/id.ts'

export type RecordKind = 'pipeline' | 'attempt' | 'dataset' | 'deployment'

/** Ids are compared as text, and read in either case. */
export function requireRecordId(kind: RecordKind, given: string): string {
  const id = given.toLowerCase()
  if (!isId(id)) throw recordNotFound(kind)
  return id
}

export function recordNotFound(kind: RecordKind): Refusal {
  return new Refusal('NOT_FOUND', `There is no such ${kind} in this workspace.`)
}

export function revisionMismatch(kind: RecordKind, now: number): Refusal {
  return new Refusal(
    'REVISION_MISMATCH',
    `The ${kind} was changed since it was read and is at revision ${now}; read it again and send that as expected_revision.`,
  )
}
