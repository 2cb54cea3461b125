// A refusal on the bare response, for what stands ahead of the framework.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '../core/refusal.ts'
import { closeUnread } from './intake/unread-body.ts'
import { limitStall } from './limit-stall.ts'
import { refusalHeaders, renderRefusal, type Surface } from './surface.ts'

export function sendRefusal(
  refusal: Refusal,
  { surface, id }: { surface: Surface; id: string },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  // A body that was not read would stand in front of the connection's next request.
  if (!request.complete) closeUnread(request, response)
  limitStall(response)
  const body = renderRefusal(surface, refusal, id)
  response.writeHead(refusal.status, {
    'x-request-id': id,
    'request-id': id,
    ...refusalHeaders(refusal),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
