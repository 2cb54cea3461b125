// The process in which adapters are merged into a base: `node merge-process.ts <JSON of a merging>`. It tells its parent how
// that went, and ends itself when its parent is gone.
import { rm } from 'node:fs/promises'
import { writeModel } from '../../engine/embedded/llama/merge-adapter.ts'
import { ModelStore } from '../../model-store/model-store.ts'
import { lowerProcessPriority } from '../../lib/thread-priority.ts'
import type { BaseModel, MergeOutcome } from '../compute.ts'
import { readBaseModel } from './base-model.ts'

export type Merging = {
  base: BaseModel
  adapters: readonly string[]
  /** Where the merged model is written before the store has it. */
  folder: string
  storeRoot: string
  niceness: number
}

const merging = JSON.parse(process.argv[2]!) as Merging
lowerProcessPriority(merging.niceness)
for (const event of ['message', 'disconnect']) process.on(event, () => process.exit(1))
// The parent may have gone before anything listened.
if (process.connected === false) process.exit(1)

async function merged({ base, adapters, folder, storeRoot }: Merging): Promise<MergeOutcome> {
  const reading = await readBaseModel(base, adapters)
  if ('code' in reading) return { state: 'failed', ...reading }
  await writeModel(reading.model, folder)
  const revision = await new ModelStore(storeRoot).keepModel(folder, { link: true })
  await rm(folder, { recursive: true, force: true })
  return { state: 'merged', revision }
}

process.send?.(await merged(merging), () => process.exit(0))
