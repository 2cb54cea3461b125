// What recording costs: the same calls through the same Hone, recorded and not, in turns.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendLoad, type Target } from '../gateway/load.ts'
import { freePort, memoryMb, startHone, startScript } from '../gateway/processes.ts'

const seconds = Number(process.env.HONE_BENCH_SECONDS ?? 4)
const rounds = 3
const connections = 32
const model = 'json-1'

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-recording-'))
  const stubPort = await freePort()
  const stub = await startScript('stub.ts', [stubPort])
  const hone = await startHone(dataDir, stubPort, [model])
  const pid = hone.child.pid ?? 0
  try {
    const platform = { 'x-api-key': hone.key, 'content-type': 'application/json' }
    await fetch(`${hone.url}/api/loop/configs/serverless`, {
      method: 'PUT',
      headers: platform,
      body: JSON.stringify({ enabled: true, tags: ['bench'] }),
    })
    const target = (name: string, headers: Record<string, string>): Target => ({
      name,
      url: hone.url,
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${hone.key}`, ...headers },
      pid,
    })
    const sides = [target('not recorded', { 'x-loop-capture': 'off' }), target('recorded', {})]
    const perSecond = sides.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      for (const [side, of] of sides.entries()) {
        const reading = await sendLoad(of, { model, stream: false, connections, seconds })
        perSecond[side]?.push(reading.perSecond)
      }
    }
    const [without = 0, with_ = 0] = perSecond.map((list) => Math.max(...list))
    const stats = await fetch(`${hone.url}/api/loop/stats`, { headers: platform })
    const { capture, samples } = (await stats.json()) as {
      capture: { recorded: number; not_recorded: number }
      samples: { total: number }
    }
    console.log(`\nRecording calls of 1 KB, ${connections} connections`)
    console.log(`  not recorded  ${without.toFixed(0).padStart(6)}/s`)
    console.log(
      `  recorded      ${with_.toFixed(0).padStart(6)}/s  = ${(with_ / without).toFixed(2)} of that`,
    )
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
