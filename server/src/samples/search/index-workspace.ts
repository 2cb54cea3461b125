// Brings the search index of a workspace one step nearer to what it should be: queued samples in segments, no segment with
// samples that are gone, few segments.
import type { Storage } from '../../storage/open-storage.ts'
import { buildBlocks } from './build-blocks.ts'
import type { Ripeness } from './is-ripe.ts'
import { charactersMax, planMerge } from './segment-size.ts'
import * as store from './segment-store.ts'

type Stored = Pick<Storage, 'db' | 'pool'>

export type IndexOptions = Ripeness & {
  /** How long samples that are gone may stay in a segment with others, so that it is not built anew for each of them. */
  forgetMs: number
}

export const indexDefaults: IndexOptions = {
  queueSamples: 256,
  queueBytes: 1024 * 1024,
  ripeMs: 5_000,
  ripeSamples: 8_192,
  ripeBytes: 8 * 1024 * 1024,
  forgetMs: 300_000,
}

/** False when there is nothing to do, or another process is at it. */
export async function indexWorkspace(
  storage: Stored,
  workspaceId: string,
  options: IndexOptions,
): Promise<boolean> {
  const work = async (): Promise<boolean> =>
    (await indexQueue(storage, workspaceId, options)) ||
    (await tidySegments(storage, workspaceId, options))
  return store.whileIndexing(storage.db, workspaceId, work)
}

/** The same without the queue, for a workspace that was given a segment just now. */
export async function tidyWorkspace(
  storage: Stored,
  workspaceId: string,
  options: IndexOptions,
): Promise<boolean> {
  return store.whileIndexing(storage.db, workspaceId, () =>
    tidySegments(storage, workspaceId, options),
  )
}

async function indexQueue(
  storage: Stored,
  workspaceId: string,
  { queueSamples, queueBytes }: IndexOptions,
): Promise<boolean> {
  const queue = await store.readQueue(storage, workspaceId)
  const waiting = queue.flatMap((batch) => batch.samples)
  if (waiting.length === 0 || (waiting.length < queueSamples && bytesOf(waiting) < queueBytes)) {
    return false
  }
  const taken = takeThatFit(queue)
  // Batches that came side by side may have ids between one another's.
  const samples = taken.flatMap((batch) => batch.samples).sort(byId)
  const replaced = {
    segmentIds: [],
    batchIds: taken.map((batch) => batch.id),
    queuedIds: samples.map((sample) => sample.id),
  }
  const built = await build(storage, workspaceId, samples)
  await store.replaceSegments(storage.db, workspaceId, replaced, built)
  return true
}

async function tidySegments(
  storage: Stored,
  workspaceId: string,
  { forgetMs }: IndexOptions,
): Promise<boolean> {
  const segments = await store.readSegments(storage, workspaceId)
  const rebuilt =
    segments.find((segment) => segment.deserted) ??
    segments.find(({ forgottenMs }) => forgottenMs !== null && forgottenMs >= forgetMs)
  const joined = rebuilt ? [rebuilt] : planMerge(segments)
  if (!joined) return false
  const segmentIds = joined.map((segment) => segment.id)
  const sampleIds = await store.readSegmentSamples(storage, segmentIds)
  const left = await store.readTextSizes(storage, sampleIds)
  const built = await build(storage, workspaceId, left)
  const replaced = { segmentIds, batchIds: [], queuedIds: [] }
  await store.replaceSegments(storage.db, workspaceId, replaced, built)
  return true
}

/** As many as a segment may hold, and always one. */
function takeThatFit(queue: readonly store.Batch[]): store.Batch[] {
  let bytes = 0
  const end = queue.findIndex((batch) => (bytes += bytesOf(batch.samples)) > charactersMax)
  return end < 0 ? [...queue] : queue.slice(0, Math.max(1, end))
}

function bytesOf(samples: readonly store.TextSize[]): number {
  return samples.reduce((sum, sample) => sum + sample.bytes, 0)
}

function byId(one: store.TextSize, other: store.TextSize): number {
  return one.id < other.id ? -1 : 1
}

const batchBytes = 2 * 1024 * 1024
const batchSamples = 1000

/** Null when none of the samples has a text any more. Texts are read a few at a time. */
async function build(
  storage: Stored,
  workspaceId: string,
  samples: readonly store.TextSize[],
): Promise<store.NewSegment | null> {
  const sampleIds: string[] = []
  const texts: string[] = []
  let characters = 0
  let batch: string[] = []
  let bytes = 0
  const pass = async (): Promise<void> => {
    const found = await store.readSearchTexts(storage, batch)
    for (const { id, text } of found) {
      sampleIds.push(id)
      texts.push(text)
      characters += text.length
    }
    batch = []
    bytes = 0
  }
  for (const sample of samples) {
    if (batch.length === batchSamples || (bytes > 0 && bytes + sample.bytes > batchBytes)) {
      await pass()
    }
    batch.push(sample.id)
    bytes += sample.bytes
  }
  if (batch.length > 0) await pass()
  if (sampleIds.length === 0) return null
  return { workspaceId, sampleIds, characters, blocks: buildBlocks(texts) }
}
