// What the loop may do with a call: begin with its request, so that the sample's id is known before the first
// byte goes out, and keep or void it at the end. Inference declares this and does not know the loop.
import type { Caller } from '../account/caller.ts'
import type { CallRequest } from '../core/request.ts'
import type { StreamPart } from '../core/stream-part.ts'

export interface Recording {
  /** Null when this call is not to be recorded. */
  readonly sampleId: string | null
  /** Called with every part of the answer, in order. */
  take(part: StreamPart): void
  keep(): void
  void(): void
}

/** What the caller asked of the loop, in headers (spec 2, recording headers). */
export type RecordingWish = {
  /** Over everything else. */
  off: boolean
  tags: readonly string[]
  /** The request id the client chose itself; a repeated one is recorded once. */
  requestId: string | null
}

/** Under which name calls of a model are configured to be recorded, and stored. */
export type RecordingSource = {
  name: string
  /** Without a configuration of its own, it is recorded as all serverless models are. */
  serverless: boolean
  /** Of a pipeline, when it answers under the pipeline's name: the number that the call began on. */
  versionNo: number | null
}

export type RecordedCall = {
  model: string
  source: RecordingSource
  startedAt: Date
  wish: RecordingWish
}

export interface Recorder {
  /** Never fails: a call that cannot be recorded is answered all the same. */
  begin(caller: Caller, request: CallRequest, call: RecordedCall): Promise<Recording>
}

export const notRecorded: Recording = { sampleId: null, take() {}, keep() {}, void() {} }
