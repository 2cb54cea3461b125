// The embedded engine as a whole: training against a plain matrix product, serving, and how long the main thread is held
// up while a training runs and answers stream.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { EmbeddedCompute } from '../server/src/compute/embedded/embedded-compute.ts'
import { countRight, readTickets } from '../server/src/demo/routing-task.ts'
import { EmbeddedEngine } from '../server/src/engine/embedded/embedded-engine.ts'
import { bundledModel, servingThreads } from '../server/src/engine/engines.ts'
import { run as serve } from './engine-serve.ts'
import { run as train } from './engine-train.ts'

export async function run(): Promise<void> {
  await train()
  await serve()
  await delayWhileTraining()
}

async function delayWhileTraining(): Promise<void> {
  const outputFolder = await mkdtemp(join(tmpdir(), 'hone-bench-'))
  const engine = new EmbeddedEngine({ modelFolder: bundledModel, threads: servingThreads() })
  const compute = new EmbeddedCompute()
  const rows = Array.from({ length: 320 }, (_, row) => {
    const inputIds = Array.from({ length: 48 }, (_id, at) => 20 + ((row * 31 + at * 7) % 4000))
    return { inputIds, labels: inputIds.map((id, at) => (at < 40 ? -100 : id)) }
  })
  const settings = { epochs: 2, learning_rate: 0.0002, lora_rank: 16, lora_alpha: 32 }
  const tickets = (await readTickets('unseen')).slice(0, 24)
  await engine.ready()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let status = await compute.train({
    id: 'bench',
    baseModel: bundledModel,
    rows,
    settings,
    seed: 1,
    outputFolder,
  })
  let answers = 0
  while (status.state === 'running') {
    await countRight(engine, 'base', tickets)
    answers += tickets.length
    status = await compute.status('bench')
  }
  delay.disable()
  const ms = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1)
  console.log(
    `event-loop delay while a training ran and ${answers} answers streamed: ` +
      `p50 ${ms(delay.percentile(50))} ms, p99 ${ms(delay.percentile(99))} ms (below 20), max ${ms(delay.max)} ms`,
  )
  await compute.close()
  await engine.close()
  await rm(outputFolder, { recursive: true, force: true })
}
