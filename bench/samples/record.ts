// What recording costs the calls that are recorded: the same calls through the same Hone, recorded and not, in turns, one
// after the other and many at once.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Reading, sendLoad, type Target } from '../gateway/load.ts'
import { catalogOf, freePort, memoryMb, startHone, startScript } from '../gateway/processes.ts'

/** Longer than recording waits for calls, so that they share the machine with it. */
const seconds = Number(process.env.HONE_BENCH_SECONDS ?? 6)
const rounds = 4
const model = 'json-1'

type Side = { name: string; target: Target; alone: Reading[]; many: Reading[] }

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-recording-'))
  const stubPort = await freePort()
  const stub = await startScript('stub.ts', [stubPort])
  const hone = await startHone(dataDir, catalogOf(stubPort, [model]))
  const pid = hone.child.pid ?? 0
  try {
    const platform = { 'x-api-key': hone.key, 'content-type': 'application/json' }
    await fetch(`${hone.url}/api/loop/configs/serverless`, {
      method: 'PUT',
      headers: platform,
      body: JSON.stringify({ enabled: true, tags: ['bench'] }),
    })
    const side = (name: string, headers: Record<string, string>): Side => ({
      name,
      target: {
        name,
        url: hone.url,
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${hone.key}`, ...headers },
        pid,
      },
      alone: [],
      many: [],
    })
    const plain = side('not recorded', { 'x-loop-capture': 'off' })
    const recorded = side('recorded', {})
    const stats = async (): Promise<Stats> =>
      (await (await fetch(`${hone.url}/api/loop/stats`, { headers: platform })).json()) as Stats
    let calls = 0
    for (let round = 0; round <= rounds; round++) {
      // Each goes first as often as the other; the first round of all is warming up.
      for (const one of round % 2 ? [plain, recorded] : [recorded, plain]) {
        const read = async (connections: number): Promise<Reading> =>
          sendLoad(one.target, { model, stream: false, connections, seconds })
        const alone = await read(1)
        const many = await read(32)
        if (one === recorded) calls += alone.calls + many.calls
        // What is still being stored must not be paid for by the next.
        while ((await stats()).capture.recorded < calls) await settling()
        if (round === 0) continue
        one.alone.push(alone)
        one.many.push(many)
      }
    }
    const { capture, samples } = await stats()
    const best = (list: readonly number[]): number => Math.min(...list)
    const p50 = (one: Side): number => best(one.alone.map((reading) => reading.p50))
    const rate = (one: Side): number => -best(one.many.map((reading) => -reading.perSecond))
    console.log('\nRecording calls of 1 KB, best of the rounds')
    for (const one of [plain, recorded]) {
      console.log(
        `  ${one.name.padEnd(12)}  1 connection: p50 ${p50(one).toFixed(2)} ms   ` +
          `32 connections: ${rate(one).toFixed(0)}/s`,
      )
    }
    console.log(
      `  1 connection:   p50 recorded ${ratio(p50(recorded), p50(plain))} of not recorded`,
    )
    console.log(`  32 connections: recorded ${ratio(rate(recorded), rate(plain))} of not recorded`)
    console.log(
      `  ${samples.total} samples stored, ${capture.not_recorded} calls not recorded, ${memoryMb(pid).toFixed(0)} MB`,
    )
  } finally {
    stub.kill()
    hone.child.kill('SIGTERM')
    await new Promise((resolve) => hone.child.once('exit', resolve))
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Stats = { capture: { recorded: number; not_recorded: number }; samples: { total: number } }

function ratio(of: number, to: number): string {
  return (of / to).toFixed(2)
}

const settling = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))
