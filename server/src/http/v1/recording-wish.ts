// What a caller asks of the loop in the headers of a call (spec 2, recording headers).
import type { IncomingHttpHeaders } from 'node:http'
import type { RecordingWish } from '../../inference/recorder.ts'

/** `requestId` is the one the request goes by: the client's own where that was well formed. */
export function recordingWish(headers: IncomingHttpHeaders, requestId: string): RecordingWish {
  const pipelines = headers['x-loop-pipeline']
  const capture = headers['x-loop-capture']
  return {
    off: typeof capture === 'string' && saysOff(capture),
    tags: typeof pipelines === 'string' ? readTags(pipelines) : [],
    requestId: headers['x-request-id'] === requestId ? requestId : null,
  }
}

/** Sent twice, as by a proxy that adds it to what a client said, it comes as one list. */
function saysOff(header: string): boolean {
  return header.split(',').some((word) => word.trim().toLowerCase() === 'off')
}

function readTags(header: string): string[] {
  const tags = header.split(',').map((tag) => tag.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))]
}
