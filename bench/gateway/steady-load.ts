// Sends calls at a constant rate, however long the answers take. A call counts from the moment at which it is due, so one that the
// sender or the server was late for counts as slow.
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Target } from './load.ts'

export type SteadyReading = { answered: number; failed: number; p50: number; p99: number }

/** Waiting calls are not refused for want of a connection. */
const connections = 256

export async function sendSteadily(
  target: Target,
  load: { body: object; perSecond: number; seconds: number },
): Promise<SteadyReading> {
  const pool = new Pool(target.url, { connections, pipelining: 1 })
  const body = JSON.stringify(load.body)
  const times: number[] = []
  let failed = 0
  const call = async (due: number): Promise<void> => {
    try {
      const { statusCode, body: answer } = await pool.request({
        method: 'POST',
        path: target.path,
        headers: { 'content-type': 'application/json', ...target.headers },
        body,
      })
      await answer.arrayBuffer()
      if (statusCode === 200) times.push(performance.now() - due)
      else failed++
    } catch {
      failed++
    }
  }
  const started = performance.now()
  const count = load.perSecond * load.seconds
  const calls: Promise<void>[] = []
  while (calls.length < count) {
    const due = started + (calls.length * 1000) / load.perSecond
    if (due > performance.now()) await delay(1)
    else calls.push(call(due))
  }
  await Promise.all(calls)
  await pool.close()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
  return { answered: times.length, failed, p50: at(0.5), p99: at(0.99) }
}
