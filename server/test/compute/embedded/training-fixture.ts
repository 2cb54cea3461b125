// A small base model on disk and a task it cannot do yet: after the code word, say the partner of a token.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type {
  Compute,
  TrainingJob,
  TrainingOutcome,
  TrainingRow,
  TrainingStatus,
} from '#server/compute/compute.ts'
import type { TrainingEvent } from '#server/compute/embedded/training-event.ts'
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

async function baseFolder(): Promise<string> {
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

export async function trainingJob(parts: Partial<TrainingJob>): Promise<TrainingJob> {
  return {
    id: 'job',
    baseModel: parts.baseModel ?? (await baseFolder()),
    rows: partnerRows(200),
    settings: { epochs: 15, learning_rate: 0.01, lora_rank: 16, lora_alpha: 32 },
    seed: 1,
    outputFolder: join(await temporaryFolder(), 'job'),
    ...parts,
  }
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

export async function eventsOf(job: TrainingJob): Promise<TrainingEvent[]> {
  const path = join(job.outputFolder, 'events.jsonl')
  if (!existsSync(path)) return []
  const lines = (await readFile(path, 'utf8')).split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as TrainingEvent)
}

export function succeeded(
  outcome: TrainingOutcome,
): Extract<TrainingOutcome, { state: 'succeeded' }> {
  if (outcome.state === 'succeeded') return outcome
  throw new Error(`The job ended as ${JSON.stringify(outcome)}.`)
}

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
