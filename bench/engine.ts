// The embedded engine as a whole: training against a plain matrix product, serving, and how long the main thread is held
// up and how much longer calls take while a training runs.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { EmbeddedCompute } from '../server/src/compute/embedded/embedded-compute.ts'
import { automaticTrainingSettings } from '../server/src/compute/training-settings.ts'
import { readTickets } from '../server/src/demo/tickets.ts'
import { EmbeddedEngine } from '../server/src/engine/embedded/embedded-engine.ts'
import { ModelMemory } from '../server/src/engine/embedded/serve/model-memory.ts'
import { bundledModel, servingThreads } from '../server/src/engine/engines.ts'
import { ModelStore } from '../server/src/model-store/model-store.ts'
import { writeRowsFile } from '../server/test/support/write-rows-file.ts'
import { median } from './median.ts'
import { run as serve } from './engine-serve.ts'
import { run as train } from './engine-train.ts'
import { countRight } from './routing-task.ts'

const callsMeasured = 200
const callsInARow = 20
const stepsMeasured = 20

export async function run(): Promise<void> {
  await train()
  await serve()
  await delayWhileTraining()
}

async function delayWhileTraining(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hone-bench-'))
  const engine = new EmbeddedEngine({
    modelFolder: bundledModel,
    threads: servingThreads(),
    memory: new ModelMemory(1e10),
    // So that a ticket takes as long the second time as the first.
    limits: { cacheBytes: 0 },
  })
  const storeRoot = join(folder, 'objects')
  const compute = new EmbeddedCompute({ root: folder, storeRoot })
  const rowsFile = join(folder, 'rows.jsonl')
  await writeRowsFile(
    rowsFile,
    Array.from({ length: 3200 }, (_, row) => {
      const inputIds = Array.from({ length: 48 }, (_id, at) => 20 + ((row * 31 + at * 7) % 4000))
      return { inputIds, labels: inputIds.map((id, at) => (at < 40 ? -100 : id)) }
    }),
  )
  const tickets = await readTickets('unseen')
  const callMs = async (count: number): Promise<number[]> => {
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const start = performance.now()
      await countRight(engine, 'base', [tickets[i % tickets.length]!])
      times.push(performance.now() - start)
    }
    return times
  }
  await engine.ready()
  await callMs(callsInARow)
  const alone = await callMs(callsMeasured)

  const revision = await new ModelStore(storeRoot).modelHash(bundledModel)
  const id = randomUUID()
  /** Null once the training has ended. */
  const stepsRun = async () => {
    const status = await compute.status(id)
    return status.state === 'running' ? status.progress.step : null
  }
  const settings = { ...automaticTrainingSettings(0), epochs: 15 }
  await compute.train({ id, base: { path: bundledModel, revision }, rowsFile, settings, seed: 1 })
  while ((await stepsRun()) === 0) await pause(20)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const beside: number[] = []
  let steps: number | null = 0
  while (steps !== null && (beside.length < callsMeasured || steps < stepsMeasured)) {
    beside.push(...(await callMs(callsInARow)))
    steps = await stepsRun()
  }
  delay.disable()
  await compute.stop(id)
  const ms = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1)
  console.log(
    `event-loop delay while ${steps ?? 'all'} training steps ran and ${beside.length} answers streamed: ` +
      `p50 ${ms(delay.percentile(50))} ms, p99 ${ms(delay.percentile(99))} ms (below 20), max ${ms(delay.max)} ms`,
  )
  const [p50Alone, p50Beside] = [median(alone), median(beside)]
  console.log(
    `calls to hone-mini: p50 ${p50Alone.toFixed(1)} ms alone, ${p50Beside.toFixed(1)} ms beside a training, ` +
      `ratio ${(p50Beside / p50Alone).toFixed(2)} (at most 2)`,
  )
  await compute.close()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
}
