// Writes an answer to its client, whole or as a stream, and says whether it was delivered: true only once the last
// byte was handed to the operating system.
import type { ServerResponse } from 'node:http'
import { EngineError } from '../../engine/engine.ts'
import type { Answer } from '../../inference/answer.ts'
import { crashPoint } from '../../lib/crash-point.ts'
import { asRefusal } from '../surface.ts'
import type { Dialect, StreamedAnswer, WholeAnswer } from './dialect.ts'
import { EventStream } from './event-stream.ts'
import type { StallWatch } from './stall-watch.ts'
import { endResponse } from './write-response.ts'

/** Where an answer goes, the id it goes by, and who gives up on a client that does not take it. */
export type Reply = {
  id: string
  response: ServerResponse
  stalls: StallWatch
  /** Told of what broke a stream that had begun. */
  broke: (error: unknown) => void
}

export async function deliverWhole(
  whole: WholeAnswer,
  served: Answer,
  { id, response, stalls }: Reply,
): Promise<boolean> {
  for (let parts = await served.next(); parts !== null; parts = await served.next()) {
    for (const part of parts) whole.take(part)
    if (parts.at(-1)?.type === 'finish') break
  }
  const body = whole.write()
  if (body === null) throw cutShort()
  crashPoint('first-byte')
  response.writeHead(200, [
    ...answerHeaders(served, id),
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
  ])
  return endResponse(response, body, stalls)
}

export async function deliverStream(
  dialect: Dialect,
  records: StreamedAnswer,
  served: Answer,
  { id, response, stalls, broke }: Reply,
): Promise<boolean> {
  const headers = (): string[] => answerHeaders(served, id)
  const stream = new EventStream(response, dialect.keepAlive, headers, stalls)
  let started = false
  try {
    for (let parts = await served.next(); parts !== null; parts = await served.next()) {
      let text = ''
      for (const part of parts) {
        if (!started) text += records.start(part)
        started = true
        text += records.record(part)
      }
      crashPoint('first-byte')
      if (parts.at(-1)?.type === 'finish') return await stream.end(text + dialect.end)
      await stream.write(text)
    }
    throw cutShort()
  } catch (error) {
    stream.stop()
    // Nothing was sent yet, so this is still a plain error with a status of its own.
    if (!stream.begun) throw error
    broke(error)
    await stream.end(dialect.streamError(asRefusal(error, dialect.name), id))
    return false
  }
}

function cutShort(): EngineError {
  return new EngineError('broken', 'The model stopped in the middle of its answer.')
}

/** Names and values in turn, which Node takes as they are. */
function answerHeaders(served: Answer, id: string): string[] {
  const ids = ['x-request-id', id, 'request-id', id]
  return [...ids, 'x-content-type-options', 'nosniff', ...served.headers()]
}
