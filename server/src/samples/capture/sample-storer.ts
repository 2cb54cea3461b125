// Stores redacted calls: those of the platform in groups, one group at a time, and those that belong into a workspace's own
// bucket beside that, each workspace for itself, so that a slow bucket holds up nobody else.
import type { CaptureOutcome } from '#contract/capture.ts'
import type { Storage } from '../../storage/open-storage.ts'
import { StorageUnavailable } from '../../storage/storage-unavailable.ts'
import type { NewSample } from '../sample/sample.ts'
import { insertAliases, insertSamples } from '../sample/sample-store.ts'
import { FreshSampleStore, isFresh } from './fresh-sample-store.ts'
import { Patience } from './patience.ts'
import type { RecordingOutcome } from './recording-messages.ts'

export type ReadySample = { number: number; sample: NewSample }

export type PlaceTexts = (
  workspaceId: string,
  samples: NewSample[],
) => Promise<{ placed: NewSample[]; failed: NewSample[] }>

export type StorerPorts = {
  storage: Pick<Storage, 'pool'>
  /** Which of these workspaces want their texts in a bucket of their own. */
  findOwners(workspaceIds: readonly string[]): Promise<Set<string>>
  placeTexts: PlaceTexts
  finish(outcomes: RecordingOutcome[]): void
  failed(error: unknown, sentence: string): void
}

const groupSamplesMax = 512
const groupBytesMax = 4 * 1024 * 1024
/** What waits here beyond one group would only be moved about by the thread's garbage collection. */
const roomBytesMax = 1024 * 1024
/** What may wait for one workspace's bucket: a slow one must not take all the room there is. */
const bucketSamplesMax = 5_000
const bucketBytesMax = 16 * 1024 * 1024

export class SampleStorer {
  readonly #ports: StorerPorts
  readonly #patience = new Patience()
  readonly #fresh: FreshSampleStore
  readonly #waiting = new GroupQueue()
  readonly #buckets = new Map<string, GroupQueue>()
  #working = false
  #room: PromiseWithResolvers<void> | null = null

  constructor(ports: StorerPorts) {
    this.#ports = ports
    this.#fresh = new FreshSampleStore(ports.storage)
  }

  add(ready: readonly ReadySample[]): void {
    for (const one of ready) this.#waiting.push(one)
    if (!this.#working) void this.#work()
  }

  /** Resolves once no more than a group waits. */
  async room(): Promise<void> {
    if (this.#hasRoom()) return
    this.#room ??= Promise.withResolvers()
    await this.#room.promise
  }

  #hasRoom(): boolean {
    return this.#waiting.length < groupSamplesMax && this.#waiting.bytes < roomBytesMax
  }

  /** A database that is away is not waited for any more. */
  hurry(): void {
    this.#patience.end()
  }

  async #work(): Promise<void> {
    this.#working = true
    while (this.#waiting.length > 0) {
      const group = this.#waiting.next()
      if (this.#hasRoom()) {
        this.#room?.resolve()
        this.#room = null
      }
      await this.#storeOrPass(group)
    }
    this.#working = false
  }

  async #storeOrPass(group: ReadySample[]): Promise<void> {
    const workspaceIds = [...new Set(group.map(({ sample }) => sample.workspaceId))]
    try {
      const owners = await this.#patience.trying(() => this.#ports.findOwners(workspaceIds))
      await this.#store(group.filter((one) => !this.#passToBucket(owners, one)))
    } catch (error) {
      this.#lose(group, error)
    }
  }

  #passToBucket(owners: ReadonlySet<string>, one: ReadySample): boolean {
    const { workspaceId } = one.sample
    if (!owners.has(workspaceId)) return false
    const known = this.#buckets.get(workspaceId)
    const queue = known ?? new GroupQueue()
    if (queue.length >= bucketSamplesMax || queue.bytes > bucketBytesMax) {
      this.#finish([one], 'own_storage_unavailable')
      return true
    }
    queue.push(one)
    if (!known) {
      this.#buckets.set(workspaceId, queue)
      void this.#fillBucket(workspaceId, queue)
    }
    return true
  }

  async #fillBucket(workspaceId: string, queue: GroupQueue): Promise<void> {
    // Everything of the group that brought the first one is in the queue before it is looked at.
    await Promise.resolve()
    while (queue.length > 0) await this.#placeAndStore(workspaceId, queue.next())
    this.#buckets.delete(workspaceId)
  }

  async #placeAndStore(workspaceId: string, group: readonly ReadySample[]): Promise<void> {
    const numbers = new Map(group.map(({ number, sample }) => [sample.id, number]))
    const numbered = (samples: readonly NewSample[]): ReadySample[] =>
      samples.map((sample) => ({ number: numbers.get(sample.id) ?? 0, sample }))
    const samples = group.map(({ sample }) => sample)
    try {
      const { placed, failed } = await this.#patience.trying(() =>
        this.#ports.placeTexts(workspaceId, samples),
      )
      this.#finish(numbered(failed), 'own_storage_unavailable')
      await this.#store(numbered(placed))
    } catch (error) {
      this.#lose(group, error)
    }
  }

  /** Never fails: what cannot be stored is lost. */
  async #store(group: readonly ReadySample[]): Promise<void> {
    if (group.length === 0) return
    const samples = group.map(({ sample }) => sample)
    try {
      const stored = await this.#patience.trying(() => this.#insert(samples))
      const [recorded, repeated] = [true, false].map((is) =>
        group.filter(({ sample }) => stored.has(sample.id) === is),
      )
      this.#finish(recorded ?? [], 'recorded')
      this.#finish(repeated ?? [], 'repeated')
    } catch (error) {
      if (error instanceof StorageUnavailable || group.length === 1) return this.#lose(group, error)
      // The database refused something in it: one sample must not take its neighbours along.
      for (const one of group) await this.#store([one])
    }
  }

  /** The ids that are in the table now under their own name. */
  async #insert(samples: NewSample[]): Promise<Set<string>> {
    const fresh = samples.filter(isFresh)
    const stored = new Set((await this.#insertFresh(fresh)) ? fresh.map(({ id }) => id) : [])
    const rest = samples.filter(({ id }) => !stored.has(id))
    if (rest.length === 0) return stored
    for (const id of await insertSamples(this.#ports.storage, rest)) stored.add(id)
    const others = rest.filter(({ id }) => !stored.has(id))
    if (others.length === 0) return stored
    // Either the same request came before, or an earlier try did store it and its reply was lost.
    const aliased = await insertAliases(this.#ports.storage, others)
    return new Set(samples.flatMap(({ id }) => (aliased.has(id) ? [] : [id])))
  }

  /** False when the database refused something in it, for instance because an earlier try did store it. */
  async #insertFresh(samples: readonly NewSample[]): Promise<boolean> {
    if (samples.length === 0) return false
    try {
      await this.#fresh.insert(samples)
      return true
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      return false
    }
  }

  #lose(group: readonly ReadySample[], error: unknown): void {
    this.#ports.failed(error, 'recorded calls could not be stored')
    this.#finish(group, 'storage_unavailable')
  }

  #finish(group: readonly ReadySample[], outcome: CaptureOutcome): void {
    if (group.length === 0) return
    this.#ports.finish(group.map(({ number }) => ({ number, outcome })))
  }
}

/** Samples in the order they came, taken a group at a time. */
class GroupQueue {
  #waiting: ReadySample[] = []
  #bytes = 0

  get length(): number {
    return this.#waiting.length
  }

  get bytes(): number {
    return this.#bytes
  }

  push(one: ReadySample): void {
    this.#waiting.push(one)
    this.#bytes += one.sample.text.bytes
  }

  /** At least one. */
  next(): ReadySample[] {
    let bytes = 0
    let count = 0
    for (const { sample } of this.#waiting) {
      if (count === groupSamplesMax || (count > 0 && bytes + sample.text.bytes > groupBytesMax)) {
        break
      }
      bytes += sample.text.bytes
      count += 1
    }
    this.#bytes -= bytes
    return this.#waiting.splice(0, count)
  }
}
