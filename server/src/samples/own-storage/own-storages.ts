// The buckets of workspaces as this process can use them. What the database says of a workspace is remembered until any
// process changes it; while changes cannot be heard, it is asked each time.
import { sampleBytesMax } from '#contract/limits.ts'
import type { ReadFailure } from '#contract/own-storage.ts'
import type { Clock } from '../../lib/clock.ts'
import type { HostList } from '../../lib/host-list.ts'
import { ObjectFailure, type ObjectStore } from '../../storage/objects/object-store.ts'
import { openS3, type S3Options } from '../../storage/objects/s3-object-store.ts'
import type { Changes } from '../../storage/changes.ts'
import type { Storage } from '../../storage/open-storage.ts'
import { listStorages, type StorageRow } from './own-storage-store.ts'
import { openSecret } from './seal-secret.ts'

const workspacesMax = 10_000
const storesMax = 500
/** After a bucket did not answer, it is not written to for this long, so that it holds up nobody else's samples. */
const restMs = 5_000
/** Room for a text that a store returns with a little around it. */
const objectBytesMax = sampleBytesMax + 64 * 1024

/** Changes that nobody can hear are never `connected`. */
export type OwnStoragesPorts = Pick<Storage, 'db'> & { changes: Pick<Changes, 'connected' | 'on'> }

export type OwnStoragesOptions = { key: Uint8Array; hosts: HostList }

export class OwnStorages {
  readonly key: Uint8Array
  readonly hosts: HostList
  readonly #storage: OwnStoragesPorts
  readonly #clock: Clock
  readonly #rows = new Map<string, Promise<StorageRow[]>>()
  readonly #stores = new Map<string, { sealed: Buffer; objects: ObjectStore }>()
  readonly #resting = new Map<string, { untilMs: number; why: ReadFailure }>()

  constructor(storage: OwnStoragesPorts, clock: Clock, { key, hosts }: OwnStoragesOptions) {
    this.#storage = storage
    this.#clock = clock
    this.key = key
    this.hosts = hosts
    storage.changes.on('own_storage_changed', (workspaceId) => this.forget(workspaceId))
  }

  /** Where new samples of the workspace go; null keeps them on the platform. */
  async defaultOf(workspaceId: string): Promise<StorageRow | null> {
    return (await this.#rowsOf(workspaceId)).find((row) => row.is_default) ?? null
  }

  async find(workspaceId: string, storageId: string): Promise<StorageRow | null> {
    return (await this.#rowsOf(workspaceId)).find((row) => row.id === storageId) ?? null
  }

  /** Throws an ObjectFailure where the secret was sealed by a Hone with another root secret. */
  open(row: StorageRow & { secret: Buffer }): ObjectStore {
    const known = this.#stores.get(row.id)
    // Sealing a secret again never gives the same bytes, so these tell any two versions apart.
    if (known?.sealed.equals(row.secret)) return known.objects
    known?.objects.close()
    const secretAccessKey = openSecret(this.key, row, row.secret)
    if (secretAccessKey === null) throw new ObjectFailure('credentials')
    const objects = this.openBucket(row, secretAccessKey)
    if (this.#stores.size >= storesMax) this.#closeStores()
    this.#stores.set(row.id, { sealed: row.secret, objects })
    return objects
  }

  openBucket(
    row: Pick<StorageRow, 'endpoint' | 'region' | 'bucket' | 'access_key_id' | 'force_path_style'>,
    secretAccessKey: string,
    options: Pick<S3Options, 'requestMs' | 'totalMs' | 'triesMax'> = {},
  ): ObjectStore {
    return openS3(
      {
        endpoint: row.endpoint,
        region: row.region,
        bucket: row.bucket,
        accessKeyId: row.access_key_id,
        secretAccessKey,
        forcePathStyle: row.force_path_style,
      },
      { hosts: this.hosts, objectBytesMax, ...options },
    )
  }

  rest(storageId: string, why: ReadFailure): void {
    this.#resting.set(storageId, { untilMs: this.#clock.monotonicMs() + restMs, why })
  }

  /** Why the bucket is not written to just now; null when it is. */
  restingFor(storageId: string): ReadFailure | null {
    const resting = this.#resting.get(storageId)
    if (!resting) return null
    if (this.#clock.monotonicMs() < resting.untilMs) return resting.why
    this.#resting.delete(storageId)
    return null
  }

  /** Null forgets everything. */
  forget(workspaceId: string | null): void {
    if (workspaceId === null) this.#rows.clear()
    else this.#rows.delete(workspaceId)
    this.#resting.clear()
  }

  close(): void {
    this.#closeStores()
  }

  #rowsOf(workspaceId: string): Promise<StorageRow[]> {
    if (!this.#storage.changes.connected) return listStorages(this.#storage.db, workspaceId)
    const known = this.#rows.get(workspaceId)
    if (known) return known
    if (this.#rows.size >= workspacesMax) this.#rows.clear()
    // Remembered before it is known, so that a change meanwhile makes it forgotten.
    const asking = listStorages(this.#storage.db, workspaceId)
    this.#rows.set(workspaceId, asking)
    asking.catch(() => {
      if (this.#rows.get(workspaceId) === asking) this.#rows.delete(workspaceId)
    })
    return asking
  }

  #closeStores(): void {
    for (const { objects } of this.#stores.values()) objects.close()
    this.#stores.clear()
  }
}
