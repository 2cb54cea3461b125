// A streamed call that is still open: what came so far, and when it ends.
import { request } from 'node:http'
import { type DialectName, leastBody, paths } from './chaos-hone.ts'
import type { TestHone } from './test-hone.ts'

export type OpenStream = {
  status: number
  /** What came so far. */
  readonly text: string
  /** Resolves at the end, whole or cut. */
  ended: Promise<void>
  /** Reads again after a pause. */
  resume(): void
  /** Closes the connection, as a client that leaves does. */
  abort(): void
}

/** Resolves once the head of the answer is here. */
export function openStream(
  rig: { hone: Pick<TestHone, 'url' | 'owner'> },
  dialect: DialectName,
  fields: object,
  options: { paused?: boolean; headers?: Record<string, string> } = {},
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    let text = ''
    const call = request(rig.hone.url + paths[dialect], {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${rig.hone.owner.key}`, ...options.headers },
    })
    call.on('error', reject)
    call.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('error', () => {})
      const ended = new Promise<void>((done) => response.on('close', done))
      response.on('data', (part: string) => (text += part))
      if (options.paused) response.pause()
      resolve({
        status: response.statusCode ?? 0,
        get text() {
          return text
        },
        ended,
        resume: () => response.resume(),
        abort: () => void call.destroy(),
      })
    })
    call.end(JSON.stringify({ model: 'ok', ...leastBody, stream: true, ...fields }))
  })
}
