// Writes to a client no faster than it takes, and in pieces small enough to see whether it still takes any.
import type { ServerResponse } from 'node:http'
import type { StallWatch } from './stall-watch.ts'

/** A piece is all or nothing to whoever asks how far a client has come. */
const pieceBytes = 64 * 1024

/** Null when the client can be given more at once; else resolves when it can. */
export function writeResponse(
  response: ServerResponse,
  text: string,
  stalls: StallWatch,
): Promise<void> | null {
  if (text.length > pieceBytes) return writePieces(response, piecesOf(text), stalls)
  return response.write(text) ? null : taken(response, stalls)
}

/** True once the body was handed to the operating system whole. */
export async function endResponse(
  response: ServerResponse,
  body: string,
  stalls: StallWatch,
): Promise<boolean> {
  const pieces = body.length > pieceBytes ? piecesOf(body) : null
  const last = pieces?.pop() ?? body
  if (pieces) await writePieces(response, pieces, stalls)
  // One that has closed would never say anything again.
  if (response.destroyed) return false
  return new Promise((resolve) => {
    // Comes right behind the end of an answer that went out whole, too.
    response.once('close', () => resolve(response.writableFinished))
    response.end(last)
    if (isBehind(response)) stalls.watch(response)
  })
}

/** Something written in an earlier turn is still waiting; what was written in this one waits for the end of it anyway. */
export function isBehind({ socket, writableLength }: ServerResponse): boolean {
  return writableLength > 0 && (socket === null || socket.writableCorked === 0)
}

async function writePieces(
  response: ServerResponse,
  pieces: readonly Buffer[],
  stalls: StallWatch,
): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return
    if (!response.write(piece)) await taken(response, stalls)
  }
}

function taken(response: ServerResponse, stalls: StallWatch): Promise<void> {
  stalls.watch(response)
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

function piecesOf(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / pieceBytes)
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  )
}
