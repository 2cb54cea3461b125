// One selection, measured: `node select.ts <database> <workspace>` prints what it took as JSON.
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { bundledModel } from '#server/engine/engines.ts'
import { ThreadedRowSelector } from '#server/loop/selection/threaded-row-selector.ts'

export type Measured = {
  seconds: number
  trainRows: number
  holdoutRows: number
  fileMb: number
  rssMb: number
  delayMs: number
  /** Of a thread that does nothing, at the same time. */
  idleDelayMs: number
}

const [, , databaseUrl = '', workspaceId = ''] = process.argv
const folder = await mkdtemp(join(tmpdir(), 'hone-bench-'))
const rowsFile = join(folder, 'rows.jsonl')
const selector = new ThreadedRowSelector({
  databaseUrl,
  ownStorage: { key: new Uint8Array(32), hosts: '' },
})
const settings = {
  pipelineId: workspaceId,
  workspaceId,
  tag: 'bench',
  tags: [],
  datasetConditions: [],
  conditions: null,
  holdoutPercent: 5,
  buildsOn: 'live' as const,
  liveVersion: null,
  replayPercent: 50,
  pinned: [],
  modelFolder: bundledModel,
  contextWindow: 2048,
}
const task = { settings, atMs: Date.parse('2026-02-01T00:00:00Z'), seed: 1, rowsFile }
// The thread is started and the model read before the clock runs: both take the same time at every size.
await selector.select({ ...task, settings: { ...settings, tag: 'none' }, rowsFile: null })
// It also keeps the process alive, which the selecting thread does not.
const idle = new Worker(new URL('./idle-thread.ts', import.meta.url))
await once(idle, 'online')
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const started = performance.now()
const { trainRows, holdoutRows } = await selector.select(task)
const seconds = (performance.now() - started) / 1000
delay.disable()
idle.postMessage('how long')
const [idleDelayMs] = (await once(idle, 'message')) as [number]
const measured: Measured = {
  seconds,
  trainRows,
  holdoutRows,
  fileMb: (await stat(rowsFile)).size / 1e6,
  rssMb: process.resourceUsage().maxRSS / 1024,
  delayMs: delay.max / 1e6,
  idleDelayMs,
}
console.log(JSON.stringify(measured))
await selector.close()
await rm(folder, { recursive: true, force: true })
