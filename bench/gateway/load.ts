// Sends calls over a number of kept-alive connections for a while, and says how many were answered and how fast.
import { Pool } from 'undici'

export type Target = {
  name: string
  url: string
  path: string
  headers: Record<string, string>
  pid: number
}

/** For so many seconds, or for so many calls. */
export type Load = { model: string; stream: boolean; connections: number } & (
  { seconds: number } | { calls: number }
)

export type Reading = { calls: number; perSecond: number; p50: number; p99: number }

export async function sendLoad(target: Target, load: Load): Promise<Reading> {
  const pool = new Pool(target.url, { connections: load.connections, pipelining: 1 })
  const body = JSON.stringify({
    model: load.model,
    stream: load.stream,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'How are you today? '.repeat(20) }],
  })
  const times: number[] = []
  const call = async (): Promise<void> => {
    const started = performance.now()
    const { statusCode, body: answer } = await pool.request({
      method: 'POST',
      path: target.path,
      headers: { 'content-type': 'application/json', ...target.headers },
      body,
    })
    const bytes = await answer.arrayBuffer()
    if (statusCode !== 200 || bytes.byteLength < 1000) {
      throw new Error(
        `${target.name} answered ${statusCode}: ${Buffer.from(bytes).toString().slice(0, 200)}`,
      )
    }
    times.push(performance.now() - started)
  }
  const started = performance.now()
  const until = 'seconds' in load ? started + load.seconds * 1000 : Infinity
  let left = 'calls' in load ? load.calls : Infinity
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      while (performance.now() < until && left-- > 0) await call()
    }),
  )
  const elapsed = (performance.now() - started) / 1000
  await pool.close()
  times.sort((a, b) => a - b)
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { calls: times.length, perSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99) }
}
