// What the main thread and the thread that records calls say to each other.
import type { CaptureOutcome } from '#contract/capture.ts'
import type { Block } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'
import type { TextPlace } from './text-arena.ts'

/** A delivered call as it is handed over. */
export type HandedCall = Pick<CallRequest, 'tools' | 'system' | 'messages'> & {
  id: string
  workspaceId: string
  source: string
  model: string
  versionNo: number | null
  tags: string[]
  /** As the client sent it. */
  requestId: string | null
  answer: Block[]
  createdAtMs: number
  retentionDays: number
}

/** What the thread is started with. */
export type RecordingSettings = {
  databaseUrl: string
  /** To open the buckets of workspaces with: the key their secrets are sealed with, and which hosts may be private. */
  ownStorage: { key: Uint8Array; hosts: string }
}

export type RecordingThreadData = RecordingSettings & {
  /** Holds the number of the call that is being redacted, or 0. */
  progress: SharedArrayBuffer
  /** Where the texts of calls are. */
  texts: SharedArrayBuffer
}

/** The JSON of a HandedCall: where it stands in shared memory, or itself where there was no room. */
export type HandedText = TextPlace | string

export type NumberedCall = { number: number; text: HandedText }

export type ToRecordingThread =
  | { type: 'calls'; calls: NumberedCall[]; nowMs: number }
  | { type: 'own-storage-changed'; workspaceId: string | null }
  /** No more waiting for a database that is away. */
  | { type: 'hurry' }
  | { type: 'end' }

export type RecordingOutcome = { number: number; outcome: CaptureOutcome }

export type FromRecordingThread =
  /** The calls of one message are redacted and about to be stored; there is room for another. */
  | { type: 'taken' }
  | { type: 'outcomes'; outcomes: RecordingOutcome[] }
  | { type: 'warning'; about: object; sentence: string }
