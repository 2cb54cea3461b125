// A small base model on disk and a task it cannot do yet: after the code word, say the partner of a token.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { TrainingSettings } from '#contract/training.ts'
import type {
  Compute,
  TrainingJob,
  TrainingEnd,
  TrainingRow,
  TrainingStatus,
} from '#server/compute/compute.ts'
import { EmbeddedCompute } from '#server/compute/embedded/embedded-compute.ts'
import { readEvents } from '#server/compute/embedded/event-file.ts'
import type { TimedEvent } from '#server/compute/embedded/training-event.ts'
import { contentHash } from '#server/model-store/content-hash.ts'
import { writeRowsFile } from '#test/support/write-rows-file.ts'
import { until } from '#test/support/until.ts'
import { randomModel, tinyConfig, writeRandomModel } from '../../engine/llama/random-model.ts'

export const codeWord = 59
export const endOfTurn = 2
export const partnerOf = (token: number) => 3 + ((token * 7 + 5) % 50)

export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hone-training-'))
  after(() => rm(path, { recursive: true, force: true }))
  return path
}

export async function baseFolder(): Promise<string> {
  const path = join(await temporaryFolder(), 'base')
  await writeRandomModel(path, randomModel(tinyConfig, 21))
  return path
}

export function partnerRows(count: number): TrainingRow[] {
  return Array.from({ length: count }, (_, i) => {
    const token = 3 + (i % 50)
    // Rows of different lengths, so that batches are padded.
    const prompt = [...Array.from({ length: i % 4 }, () => 1), token, codeWord]
    const answer = [partnerOf(token), endOfTurn]
    return {
      inputIds: [...prompt, ...answer],
      labels: [...prompt.map(() => -100), ...answer],
    }
  })
}

/** Where the jobs and the model store of this file's tests lie. */
export const root = await temporaryFolder()
export const storeRoot = join(root, 'objects')

export function folderOf(job: TrainingJob): string {
  return join(root, job.id)
}

export function openCompute(): EmbeddedCompute {
  return new EmbeddedCompute({ root, storeRoot, threads: 1, niceness: 0 })
}

export type JobParts = Partial<TrainingJob> & { basePath?: string; rows?: TrainingRow[] }

export async function trainingJob({
  basePath,
  rows = partnerRows(200),
  ...parts
}: JobParts = {}): Promise<TrainingJob> {
  const id = randomUUID()
  const path = basePath ?? (await baseFolder())
  const rowsFile = join(root, `${id}.jsonl`)
  await writeRowsFile(rowsFile, rows)
  return {
    id,
    base: { path, revision: await contentHash(path, 'model') },
    rowsFile,
    settings: trainingSettings(),
    seed: 1,
    ...parts,
  }
}

export function trainingSettings(): TrainingSettings {
  return { epochs: 15, learning_rate: 0.01, lora_rank: 16, lora_alpha: 32, replay_percent: 50 }
}

export async function untilEnded(
  compute: Compute,
  id: string,
): Promise<Extract<TrainingStatus, { state: 'ended' }>> {
  for (;;) {
    const status = await compute.status(id)
    if (status.state === 'ended') return status
    if (status.state === 'unknown') throw new Error(`The job '${id}' is unknown.`)
    await pause()
  }
}

export async function untilCheckpoint(job: TrainingJob): Promise<void> {
  const isSaved = async () =>
    (await eventsOf(job)).some((event) => event.event === 'step' && event.step > 20)
  await until(isSaved)
}

export function eventsOf(job: TrainingJob): Promise<TimedEvent[]> {
  return readEvents(join(folderOf(job), 'events.jsonl'))
}

export function succeeded<Outcome extends TrainingEnd>(
  outcome: Outcome,
): Extract<Outcome, { state: 'succeeded' }> {
  if (outcome.state === 'succeeded') return outcome as Extract<Outcome, { state: 'succeeded' }>
  throw new Error(`The job ended as ${JSON.stringify(outcome)}.`)
}

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
