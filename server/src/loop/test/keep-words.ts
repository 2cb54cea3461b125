// What models and judges say in a test lies where the sample lies that it is about: in the database, or in the workspace's own bucket.
import type { App } from '../../app.ts'
import { placeWords } from '../../samples/own-storage/place-words.ts'
import { isGone, tryReadObject } from '../../samples/own-storage/read-text.ts'

/** The words themselves, or the object that has them. */
export type KeptWords = { words: string | null; key: string | null }

type Place = {
  attempt: { id: string; workspace_id: string }
  sampleId: string
  /** Where the text of the sample is; null in the database. */
  sampleObject: string | null
}

/** Null where the bucket does not take them now. */
export async function keepWords(
  app: App,
  { attempt, sampleId, sampleObject }: Place,
  words: string | null,
): Promise<KeptWords | null> {
  if (words === null || sampleObject === null) return { words, key: null }
  const place = { workspaceId: attempt.workspace_id, attemptId: attempt.id, sampleId, sampleObject }
  const key = await placeWords(app, place, words)
  return key === null ? null : { words: null, key }
}

export type WordsReading = { words: string | null } | 'gone' | 'unreadable'

export async function readWords(
  app: App,
  workspaceId: string,
  { words, key }: KeptWords,
): Promise<WordsReading> {
  if (key === null) return { words }
  const reading = await tryReadObject(app, workspaceId, key)
  if ('text' in reading) return { words: reading.text }
  return isGone(reading.failure) ? 'gone' : 'unreadable'
}
