// Gives up on clients that take nothing of their answer: each holds money, a place among the calls at once and a model
// server that waits. Only answers whose client is behind are looked at, all by one timer.
import type { ServerResponse } from 'node:http'
import { clientStallSeconds } from '#contract/limits.ts'
import { SharedInterval } from '../../lib/shared-interval.ts'

/** A client is looked at so many times before its time is over. Looks are counted, so that a pause of ours costs it nothing. */
const looks = 10

export class StallWatch {
  readonly #looking: SharedInterval
  readonly #watched = new WeakSet<ServerResponse>()

  constructor(stallMs = clientStallSeconds * 1000) {
    this.#looking = new SharedInterval(stallMs / looks)
  }

  /** For an answer of which something waits for its client; ends by itself when all of it was taken. */
  watch(response: ServerResponse): void {
    if (this.#watched.has(response)) return
    this.#watched.add(response)
    let taken = bytesTaken(response)
    let idleLooks = 0

    const look = (): void => {
      if (response.destroyed || response.writableLength === 0) return stop()
      const now = bytesTaken(response)
      // An answer that has no socket yet waits for the one before it, and not for the client.
      idleLooks = response.socket === null || now !== taken ? 0 : idleLooks + 1
      taken = now
      // A plain close would leave the system to offer the client what it holds of the answer for minutes more.
      if (idleLooks > looks) response.socket?.resetAndDestroy()
    }
    const stop = (): void => {
      this.#looking.delete(look)
      this.#watched.delete(response)
      response.off('close', stop)
    }
    this.#looking.add(look)
    response.once('close', stop)
  }
}

/** Handed to the system so far on the connection: all that was written, less what waits. */
function bytesTaken({ req: { socket } }: ServerResponse): number {
  return socket.bytesWritten - socket.writableLength
}
