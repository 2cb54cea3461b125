// What Hone costs in front of a model server: against the bare server, a pass-through that looks at nothing, and a peer,
// all on this machine in one run. Hone has accounts, limits, wallet and usage on, in one process.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, type Reading, sendLoad, type Target } from './gateway/load.ts'
import {
  cpuSeconds,
  freePort,
  memoryMb,
  startHone,
  startPeer,
  startScript,
} from './gateway/processes.ts'

const seconds = Number(process.env.HONE_BENCH_SECONDS ?? 4)

const shapes = [
  { name: 'JSON of 1 KB', model: 'json-1', stream: false },
  { name: 'JSON of 20 KB', model: 'json-20', stream: false },
  { name: 'stream of 50 chunks', model: 'stream-5', stream: true },
]

type Row = Reading & { cpuMicros: number }

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-gateway-'))
  const [stubPort, passPort, peerPort] = [await freePort(), await freePort(), await freePort()]
  const stub = await startScript('stub.ts', [stubPort])
  const pass = await startScript('pass-through.ts', [passPort, stubPort])
  const hone = await startHone(
    dataDir,
    stubPort,
    shapes.map(({ model }) => model),
  )
  const peer = await startPeer(peerPort)
  if (!peer) console.log('(the peer could not be installed or started, so it is left out)')
  const path = '/v1/chat/completions'
  const targets: Target[] = [
    { name: 'stub', url: `http://127.0.0.1:${stubPort}`, path, headers: {}, pid: stub.pid ?? 0 },
    {
      name: 'pass-through',
      url: `http://127.0.0.1:${passPort}`,
      path,
      headers: {},
      pid: pass.pid ?? 0,
    },
    {
      name: 'Hone',
      url: hone.url,
      path,
      headers: { authorization: `Bearer ${hone.key}` },
      pid: hone.child.pid ?? 0,
    },
    ...(peer
      ? [
          {
            name: 'Portkey',
            url: `http://127.0.0.1:${peerPort}`,
            path,
            headers: {
              authorization: 'Bearer x',
              'x-portkey-provider': 'openai',
              'x-portkey-custom-host': `http://127.0.0.1:${stubPort}/v1`,
            },
            pid: peer.pid ?? 0,
          },
        ]
      : []),
  ]
  const before = memoryMb(hone.child.pid ?? 0)
  let answered = 0
  for (const shape of shapes) {
    for (const connections of [1, 32]) {
      console.log(`\n${shape.name}, ${connections} connection${connections === 1 ? '' : 's'}`)
      const rows = new Map<string, Row>()
      for (const target of targets) {
        const row = await measure(target, { ...shape, connections, seconds }).catch(
          (error: Error) => {
            console.log(`  ${target.name} failed: ${error.message}`)
            return null
          },
        )
        if (!row) continue
        rows.set(target.name, row)
        if (target.name === 'Hone') answered += row.perSecond * seconds
      }
      print(rows)
    }
  }
  console.log(
    `\nHone's memory: ${before.toFixed(0)} MB before, ${memoryMb(hone.child.pid ?? 0).toFixed(0)} MB after about ${answered.toFixed(0)} calls`,
  )
  for (const child of [stub, pass, peer]) child?.kill()
  hone.child.kill('SIGTERM')
  await new Promise((resolve) => hone.child.once('exit', resolve))
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(target: Target, load: Load): Promise<Row> {
  const cpu = cpuSeconds(target.pid)
  const reading = await sendLoad(target, load)
  const calls = reading.perSecond * load.seconds + 200
  return { ...reading, cpuMicros: ((cpuSeconds(target.pid) - cpu) * 1e6) / calls }
}

function print(rows: Map<string, Row>): void {
  const floor = rows.get('pass-through')
  const peer = rows.get('Portkey')
  for (const [name, row] of rows) {
    const added = floor ? row.p50 - floor.p50 : 0
    console.log(
      `  ${name.padEnd(13)} ${row.perSecond.toFixed(0).padStart(6)}/s  p50 ${row.p50.toFixed(2)} ms  p99 ${row.p99.toFixed(2)} ms  ` +
        `cpu ${row.cpuMicros.toFixed(0)} us/call` +
        (name === 'Hone' && floor
          ? `  = ${(row.perSecond / floor.perSecond).toFixed(2)} of the pass-through, ${added.toFixed(2)} ms added at p50` +
            (peer ? `, ${(row.perSecond / peer.perSecond).toFixed(1)} times Portkey` : '')
          : ''),
    )
  }
}
