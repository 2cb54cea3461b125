// Gives up on a client that takes nothing of an answer that is ready and going out whole: it would keep its connection, and
// the answer in memory, for ever. The system's own timer is used because it sees a client take part of a large write.
import type { ServerResponse } from 'node:http'
import { clientStallSeconds } from '#contract/limits.ts'

/** Between one and two of these spans after the last byte was taken the connection is reset. */
export function limitStall(response: ServerResponse, stallMs = clientStallSeconds * 1000): void {
  // A plain close would leave the system to offer the client what it holds of the answer for minutes more.
  response.setTimeout(stallMs, () => response.socket?.resetAndDestroy())
  // Ahead of the server's own listener, which sets how long the connection may idle; and the next answer on it may be a
  // model's, which thinks for as long as it needs.
  response.prependOnceListener('finish', () => response.socket?.setTimeout(0))
}
