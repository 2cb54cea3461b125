// What a model server is asked beside its calls: whether it is there, and how long a prompt is. No answer is no error here,
// because whoever asks can do without.
import { isObject } from '../../lib/json-object.ts'

export type SideAnswer = { status: number; json: unknown }

type Asks = {
  ask(path: string, signal: AbortSignal, body?: object): Promise<SideAnswer | null>
}

/** A list of a prompt's tokens is the longest of these answers. */
const answerBytesMax = 8 * 1024 * 1024
/** A server that answers so is there, but says nothing by it. */
const noList = [404, 405, 501]

/** Whether the server is there, by its list of models; null where it keeps no such list. */
export async function answersModels(upstream: Asks, signal: AbortSignal): Promise<boolean | null> {
  const status = (await upstream.ask('models', signal))?.status
  if (status === 200) return true
  return status !== undefined && noList.includes(status) ? null : false
}

/** The whole number under that name; null where the server did not say it. */
export async function askCount(
  upstream: Asks,
  path: string,
  body: object,
  name: string,
  signal: AbortSignal,
): Promise<number | null> {
  const answer = await upstream.ask(path, signal, body)
  const count = answer?.status === 200 && isObject(answer.json) ? answer.json[name] : null
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null
}

/** The body as JSON; null where it is none. Throws when it is longer than any answer is. */
export async function readBounded(body: AsyncIterable<Buffer>): Promise<unknown> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > answerBytesMax) throw new Error('a model server sent too much')
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString()) as unknown
  } catch {
    return null
  }
}
