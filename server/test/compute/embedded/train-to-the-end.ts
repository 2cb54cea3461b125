// A server that takes one job from its base to a merged model, as often as it is started until that is done: each start goes on
// where the one before it was killed.
import { existsSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { EmbeddedCompute } from '#server/compute/embedded/embedded-compute.ts'
import { readEvents, secondsIn } from '#server/compute/embedded/event-file.ts'
import type { TrainingRow, TrainingStatus } from '#server/compute/compute.ts'
import { ModelStore } from '#server/model-store/model-store.ts'
import { writeRowsFile } from '#test/support/write-rows-file.ts'

export type Plan = { id: string; root: string; basePath: string; rows: TrainingRow[] }

const plan = JSON.parse(process.argv[2]!) as Plan
const { id, root } = plan
const storeRoot = join(root, 'objects')
const reportFile = join(root, 'report.json')
const models = new ModelStore(storeRoot)
const compute = new EmbeddedCompute({
  root: join(root, 'compute'),
  storeRoot,
  threads: 1,
  niceness: 0,
})

const revision = await models.keepModel(plan.basePath)
const base = { path: models.modelPath(revision), revision }

async function trained(): Promise<Extract<TrainingStatus, { state: 'ended' }>> {
  let status = await compute.status(id)
  if (status.state === 'unknown' || status.state === 'idle') {
    const rowsFile = join(root, 'rows.jsonl')
    if (status.state === 'unknown') await writeRowsFile(rowsFile, plan.rows)
    const settings = {
      epochs: 1,
      learning_rate: 0.01,
      lora_rank: 4,
      lora_alpha: 8,
      replay_percent: 0,
    }
    status = await compute.train({ id, base, baseName: 'tiny', rowsFile, settings, seed: 1 })
  }
  while (status.state === 'running') {
    await pause(10)
    status = await compute.status(id)
  }
  if (status.state !== 'ended') throw new Error('The job was lost.')
  return status
}

if (!existsSync(reportFile)) {
  const { outcome } = await trained()
  if (outcome.state !== 'succeeded') throw new Error(JSON.stringify(outcome))
  const adapter = await models.keepAdapter(outcome.adapterPath)
  const merge = await compute.merge(base, [models.adapterPath(adapter)])
  if (merge.state === 'failed') throw new Error(merge.detail)
  const secondsOfEvents = secondsIn(await readEvents(join(root, 'compute', id, 'events.jsonl')))
  const report = { revision, adapter, merged: merge.revision, outcome, secondsOfEvents }
  await writeFile(reportFile, JSON.stringify(report))
}
// Kept long ago, so that it is not spared.
await utimes(models.modelPath(revision), 0, 0)
await models.removeUnnamedModels([])
await compute.forget(id)
process.send?.('done')
process.exit(0)
