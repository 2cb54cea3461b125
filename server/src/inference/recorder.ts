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

export interface Recorder {
  begin(
    caller: Caller,
    request: CallRequest,
    call: { requestId: string; startedAt: Date },
  ): Recording
}

const notRecorded: Recording = { sampleId: null, take() {}, keep() {}, void() {} }

/** Until a loop is wired in, no call becomes a sample. */
export const noRecorder: Recorder = { begin: () => notRecorded }
