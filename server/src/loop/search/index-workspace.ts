// Brings the search index of a workspace one step nearer to what it should be: queued samples in segments, no segment with
// samples that are gone, few segments.
import type { Storage } from '../../storage/open-storage.ts'
import type { BlockBuilder } from './block-builder.ts'
import { charactersMax, planMerge } from './segment-size.ts'
import * as store from './segment-store.ts'

export type IndexPorts = { storage: Pick<Storage, 'db' | 'pool'>; builder: BlockBuilder }

export type IndexOptions = {
  /** A queue this long or this heavy is worth a segment; a shorter one is searched as it is. */
  queueSamples: number
  queueBytes: number
  /** How long samples that are gone may stay in a segment with others, so that it is not built anew for each of them. */
  forgetMs: number
}

export const indexDefaults: IndexOptions = {
  queueSamples: 256,
  queueBytes: 1024 * 1024,
  forgetMs: 300_000,
}

/** False when there is nothing to do, or another process is at it. */
export async function indexWorkspace(
  ports: IndexPorts,
  workspaceId: string,
  options: IndexOptions,
): Promise<boolean> {
  const work = async (): Promise<boolean> =>
    (await indexQueue(ports, workspaceId, options)) ||
    (await tidySegments(ports, workspaceId, options))
  return store.whileIndexing(ports.storage.db, workspaceId, work)
}

async function indexQueue(
  ports: IndexPorts,
  workspaceId: string,
  { queueSamples, queueBytes }: IndexOptions,
): Promise<boolean> {
  const queue = await store.readQueue(ports.storage, workspaceId)
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
  const built = await build(ports, workspaceId, samples)
  await store.replaceSegments(ports.storage.db, workspaceId, replaced, built)
  return true
}

async function tidySegments(
  ports: IndexPorts,
  workspaceId: string,
  { forgetMs }: IndexOptions,
): Promise<boolean> {
  const segments = await store.readSegments(ports.storage, workspaceId)
  const rebuilt =
    segments.find((segment) => segment.deserted) ??
    segments.find(({ forgottenMs }) => forgottenMs !== null && forgottenMs >= forgetMs)
  const joined = rebuilt ? [rebuilt] : planMerge(segments)
  if (!joined) return false
  const segmentIds = joined.map((segment) => segment.id)
  const sampleIds = await store.readSegmentSamples(ports.storage, segmentIds)
  const left = await store.readTextSizes(ports.storage, sampleIds)
  const built = await build(ports, workspaceId, left)
  const replaced = { segmentIds, batchIds: [], queuedIds: [] }
  await store.replaceSegments(ports.storage.db, workspaceId, replaced, built)
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

/** Null when none of the samples has a text any more. Texts pass through this thread a few at a time. */
async function build(
  { storage, builder }: IndexPorts,
  workspaceId: string,
  samples: readonly store.TextSize[],
): Promise<store.NewSegment | null> {
  const sampleIds: string[] = []
  let characters = 0
  let batch: string[] = []
  let bytes = 0
  const pass = async (): Promise<void> => {
    const found = await store.readSearchTexts(storage, batch)
    builder.add(found.map((sample) => sample.text))
    for (const { id, text } of found) {
      sampleIds.push(id)
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
  return { workspaceId, sampleIds, characters, blocks: await builder.build() }
}
