// What Hone costs in front of a model server: against the bare server, a pass-through that looks at nothing, and a peer,
// all on this machine in one run. Hone has accounts, limits, wallet, usage and recording on, in one process. Everybody is warm before
// anything is measured, and the sides take turns in short rounds, so that a noisy neighbour hits all of them: what is compared is
// compared within a round, and what is said is the median of the rounds. What is recorded of a round is stored partly behind it, as after
// any burst; what calls cost while it goes on is said at the end.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Load, type Reading, sendLoad, type Target } from './gateway/load.ts'
import {
  catalogOf,
  cpuSeconds,
  freePort,
  type HoneProcess,
  memoryMb,
  startHone,
  startPeer,
  startScript,
} from './gateway/processes.ts'
import { median } from './median.ts'

const roundSeconds = Number(process.env.HONE_BENCH_SECONDS ?? 1)
const rounds = Number(process.env.HONE_BENCH_ROUNDS ?? 7)
/** So many calls it takes until nothing is compiled any more; fewer make every side but the smallest look slow. */
const warmCalls = Number(process.env.HONE_BENCH_WARM_CALLS ?? 10_000)
const memoryCalls = Number(process.env.HONE_BENCH_MEMORY_CALLS ?? 100_000)
const memorySteps = 5

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
  const models = shapes.map(({ model }) => model)
  const hone = await startHone(dataDir, catalogOf(stubPort, models))
  await recordEverything(hone)
  const peer = await startPeer(peerPort)
  if (!peer) console.log('(the peer could not be installed or started, so it is left out)')
  const chat = '/v1/chat/completions'
  const ofHone = {
    url: hone.url,
    headers: { authorization: `Bearer ${hone.key}` },
    pid: hone.child.pid ?? 0,
  }
  const plain = (name: string, port: number, pid = 0): Target => ({
    name,
    url: `http://127.0.0.1:${port}`,
    path: chat,
    headers: {},
    pid,
  })
  const targets: Target[] = [
    plain('stub', stubPort, stub.pid),
    plain('pass-through', passPort, pass.pid),
    { name: 'Hone', path: chat, ...ofHone },
    { name: 'Hone, messages', path: '/v1/messages', ...ofHone },
    {
      name: 'Hone, unrecorded',
      path: chat,
      ...ofHone,
      headers: { ...ofHone.headers, 'x-loop-capture': 'off' },
    },
    ...(peer
      ? [
          {
            ...plain('Portkey', peerPort, peer.pid),
            headers: {
              authorization: 'Bearer x',
              'x-portkey-provider': 'openai',
              'x-portkey-custom-host': `http://127.0.0.1:${stubPort}/v1`,
            },
          },
        ]
      : []),
  ]
  for (const { model, stream } of shapes) {
    for (const target of targets) {
      await sendLoad(target, { model, stream, connections: 32, calls: warmCalls }).catch(() => {})
    }
  }
  for (const shape of shapes) {
    for (const connections of [1, 32]) {
      console.log(`\n${shape.name}, ${connections} connection${connections === 1 ? '' : 's'}`)
      const load = { ...shape, connections, seconds: roundSeconds }
      print(await measureAll(targets, load, () => idle(ofHone.pid)))
    }
  }
  const recorded = { name: 'Hone', path: chat, ...ofHone }
  await printMemory(recorded, plain('pass-through', passPort), () => idle(ofHone.pid))
  await printLosses(hone, () => idle(ofHone.pid))
  for (const child of [stub, pass, peer]) child?.kill()
  hone.child.kill('SIGTERM')
  await new Promise((resolve) => hone.child.once('exit', resolve))
  await rm(dataDir, { recursive: true, force: true })
}

async function recordEverything({ url, key }: HoneProcess): Promise<void> {
  const answer = await fetch(`${url}/api/loop/configs/serverless`, {
    method: 'PUT',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, tags: ['bench'] }),
  })
  if (!answer.ok) throw new Error(`recording could not be switched on: ${answer.status}`)
}

/** The rounds of each. Nobody is measured while what came before is still being recorded or indexed. */
async function measureAll(
  targets: Target[],
  load: Load,
  calm: () => Promise<void>,
): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    // There and back again, so that nobody always comes behind the same one.
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      await calm()
      try {
        const row = await measure(target, load)
        // By round, so that one that failed leaves a gap and is compared with nothing.
        rows.get(target.name)![round] = row
      } catch (error) {
        console.log(`  ${target.name} failed: ${(error as Error).message}`)
      }
    }
  }
  return rows
}

const idleMs = 1000
const idleShareMax = 0.1
const idleTriesMax = 60

/** Resolves when the process has had next to nothing to do for a while. */
async function idle(pid: number): Promise<void> {
  for (let tries = 0; tries < idleTriesMax; tries++) {
    const before = cpuSeconds(pid)
    await delay(idleMs)
    if (cpuSeconds(pid) - before <= (idleMs / 1000) * idleShareMax) return
  }
}

async function measure(target: Target, load: Load): Promise<Row> {
  const cpu = cpuSeconds(target.pid)
  const reading = await sendLoad(target, load)
  return { ...reading, cpuMicros: ((cpuSeconds(target.pid) - cpu) * 1e6) / reading.calls }
}

function print(rows: Map<string, Row[]>): void {
  const floor = rows.get('pass-through') ?? []
  const peer = rows.get('Portkey') ?? []
  for (const [name, own] of rows) {
    if (own.length === 0) continue
    const middle = (field: keyof Row): number => median(own.flatMap((row) => [row[field]]))
    console.log(
      `  ${name.padEnd(16)} ${middle('perSecond').toFixed(0).padStart(6)}/s  p50 ${middle('p50').toFixed(2)} ms  ` +
        `p99 ${middle('p99').toFixed(2)} ms  cpu ${middle('cpuMicros').toFixed(0)} us/call` +
        (name.startsWith('Hone') ? compared(own, floor, peer) : ''),
    )
  }
}

function compared(own: readonly Row[], floor: readonly Row[], peer: readonly Row[]): string {
  const ratios = eachRound(own, floor, (row, other) => row.perSecond / other.perSecond)
  const added = eachRound(own, floor, (row, other) => row.p50 - other.p50)
  const times = eachRound(own, peer, (row, other) => row.perSecond / other.perSecond)
  if (ratios.length === 0) return ''
  const [low, high] = [Math.min(...ratios).toFixed(2), Math.max(...ratios).toFixed(2)]
  return (
    `  = ${median(ratios).toFixed(2)} of the pass-through (${low} to ${high}), ${median(added).toFixed(2)} ms added at p50` +
    (times.length > 0 ? `, ${median(times).toFixed(1)} times Portkey` : '')
  )
}

/** Only rounds that both have. */
function eachRound(
  own: readonly Row[],
  others: readonly Row[],
  compare: (row: Row, other: Row) => number,
): number[] {
  return own.flatMap((row, round) => {
    const other = others[round]
    return other ? [compare(row, other)] : []
  })
}

/** Read when all is recorded and indexed, so that what waits is not taken for what stays. */
async function printMemory(hone: Target, floor: Target, calm: () => Promise<void>): Promise<void> {
  await calm()
  const readings = [memoryMb(hone.pid)]
  const rates: string[] = []
  for (let step = 0; step < memorySteps; step++) {
    const calls = memoryCalls / memorySteps
    const load = { model: 'json-1', stream: step % 2 === 1, connections: 32 }
    const most = await sendLoad(floor, { ...load, seconds: roundSeconds })
    const { perSecond } = await sendLoad(hone, { ...load, calls })
    rates.push(`${perSecond.toFixed(0)}/s (${(perSecond / most.perSecond).toFixed(2)})`)
    await calm()
    readings.push(memoryMb(hone.pid))
  }
  const shown = readings.map((mb) => mb.toFixed(0)).join(', ')
  console.log(
    `\nHone's memory over ${memoryCalls} more calls, two in five of them streams: ${shown} MB`,
  )
  // Each of these is long enough that calls share the machine with what is recorded of them; in the rounds above it gives way.
  console.log(
    `Recorded without a pause, ${memoryCalls / memorySteps} calls each, and their share of the pass-through: ${rates.join(', ')}`,
  )
}

async function printLosses({ url, key }: HoneProcess, calm: () => Promise<void>): Promise<void> {
  await calm()
  const answer = await fetch(`${url}/api/loop/stats`, { headers: { 'x-api-key': key } })
  const { capture } = (await answer.json()) as { capture: Record<string, number> }
  console.log(`Calls recorded: ${capture.recorded}, not recorded: ${capture.not_recorded}`)
}
