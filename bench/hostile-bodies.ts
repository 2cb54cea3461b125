// How long the event loop is ever held up by bodies made to hurt: alone, each close to a limit, and fifty at once
// while small calls go on. The clients run in a thread of their own; the floor is the loop with nothing to do.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { inferenceBodyBytesMax } from '../contract/src/limits.ts'
import {
  hostileBodies,
  passingBodies,
  sendBody,
} from '../server/test/http/intake/hostile-bodies.ts'
import { intakeServer } from '../server/test/http/intake/intake-server.ts'

const delayMsMax = 100
const atOnce = 50

type Order = { url: string; bodies: string[]; times: number; smallCalls: boolean }
type Outcome = { statuses: number[]; smallMs: number[] }

if (!isMainThread) {
  parentPort?.on('message', (order: Order) => {
    void carryOut(order).then((outcome) => parentPort?.postMessage(outcome))
  })
}

async function carryOut({ url, bodies, times, smallCalls }: Order): Promise<Outcome> {
  const made = bodies.map((name) => Buffer.from(bodyNamed(name)))
  let running = true
  const sent = Promise.all(
    Array.from({ length: times }, (_, index) =>
      sendBody(url, 'k', made[index % made.length]!, { chunked: index % 2 === 1 }),
    ),
  ).finally(() => (running = false))
  const smallMs: number[] = []
  while (smallCalls && running) {
    const start = performance.now()
    const { status } = await sendBody(url, 'k', '{"small":true}', { chunked: false })
    if (status !== 200) throw new Error(`a small call was answered ${status}`)
    smallMs.push(performance.now() - start)
  }
  return { statuses: (await sent).map(({ status }) => status), smallMs }
}

function bodyNamed(name: string): string {
  if (name === 'a whole 32 MiB') return `{"a":"${'a'.repeat(inferenceBodyBytesMax - 8)}"}`
  return (hostileBodies[name] ?? passingBodies[name])!()
}

type Held = { delayMs: number; cpuMs: number }

/**
 * How long the loop was held up at most: by the clock, and in processor time of this thread, which is what the delay
 * would be on a machine that does nothing else.
 */
async function measured(work: () => Promise<Outcome>): Promise<Held & Outcome> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let cpu = process.threadCpuUsage()
  let cpuMax = 0
  const look = (): void => {
    const now = process.threadCpuUsage()
    cpuMax = Math.max(cpuMax, now.user + now.system - cpu.user - cpu.system)
    cpu = now
  }
  await sleep(50)
  delay.enable()
  look()
  cpuMax = 0
  const looking = setInterval(look, 1)
  const outcome = await work()
  clearInterval(looking)
  delay.disable()
  return { ...outcome, delayMs: delay.max / 1e6, cpuMs: cpuMax / 1e3 }
}

const shown = ({ delayMs, cpuMs }: Held): string =>
  `${cpuMs.toFixed(1)} ms of processor time, ${delayMs.toFixed(1)} ms by the clock`

export async function run(): Promise<void> {
  const server = await intakeServer()
  const url = `http://127.0.0.1:${server.port}/parse`
  const clients = new Worker(new URL(import.meta.url))
  const order = (bodies: string[], times: number, smallCalls = false): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      clients.removeAllListeners().once('message', resolve).once('error', reject)
      clients.postMessage({ url, bodies, times, smallCalls } satisfies Order)
    })
  const quantile = (values: number[], share: number): number =>
    values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0

  const least = (runs: Held[], field: keyof Held): number =>
    Math.min(...runs.map((run) => run[field]))

  const idle = await measured(async () => {
    await sleep(2000)
    return { statuses: [], smallMs: [] }
  })
  console.log(`Longest turn of the event loop. Idle: ${shown(idle)}`)

  console.log('Bodies that pass, the best of five each:')
  for (const name of Object.keys(passingBodies)) {
    const runs: Held[] = []
    for (let round = 0; round < 5; round++) {
      const run = await measured(() => order([name], 1))
      if (run.statuses[0] !== 200) throw new Error(`${name} was answered ${run.statuses[0]}`)
      runs.push(run)
    }
    const best = { delayMs: least(runs, 'delayMs'), cpuMs: least(runs, 'cpuMs') }
    const verdict = best.cpuMs < delayMsMax ? '' : `  OVER ${delayMsMax} ms`
    console.log(`  ${name.padEnd(38)} ${shown(best)}${verdict}`)
  }

  for (const [what, bodies] of [
    ['hostile bodies', Object.keys(hostileBodies)],
    ['bodies of 32 MiB that are fine', ['a whole 32 MiB']],
    ['hostile and slowest passing bodies', Object.keys({ ...hostileBodies, ...passingBodies })],
  ] as const) {
    const rssBefore = process.memoryUsage().rss
    const run = await measured(() => order([...bodies], atOnce, true))
    const counts = new Map<number, number>()
    for (const status of run.statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
    const answers = [...counts].map(([status, count]) => `${count} x ${status}`).join(', ')
    const grown = (process.memoryUsage().rss - rssBefore) / 2 ** 20
    const small = (share: number): string => quantile(run.smallMs, share).toFixed(1)
    console.log(`${atOnce} ${what} at once: ${answers}`)
    console.log(
      `  longest turn ${shown(run)}; memory ${grown.toFixed(0)} MiB more; ` +
        `${run.smallMs.length} small calls meanwhile, p50 ${small(0.5)} ms, p99 ${small(0.99)} ms`,
    )
  }
  await clients.terminate()
  await server.close()
}
