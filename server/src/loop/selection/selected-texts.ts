// The texts of samples that are selected, and how single objects that cannot be read are told from a storage that is away.
import type { ReadFailure } from '#contract/own-storage.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import type { OwnStorages } from '../../samples/own-storage/own-storages.ts'
import { isGone, tryReadText } from '../../samples/own-storage/read-text.ts'
import { readSampleTexts } from '../../samples/sample/sample-store.ts'
import type { Storage } from '../../storage/open-storage.ts'
import { StorageAway } from './storage-away.ts'

/** As the app has them; the thread that selects has no app. */
export type ReadPorts = { storage: Pick<Storage, 'db'>; samples: { ownStorages: OwnStorages } }

export type SelectedText = {
  /** Null where it cannot be read. */
  text: string | null
  /** It may be readable later. */
  isLeftOut: boolean
}

type TextRow = { id: string; workspace_id: string; object_key: string | null }

const objectsAtOnce = 16
/** After so many failures without a success in between, a storage is away: each failure may take as long as its time limit. */
const awayInARowMost = 16

export class SelectedTexts {
  readonly #ports: ReadPorts
  readonly #leavesOut: boolean
  #readsPlatform = false
  #readsStorage = false
  #failure: ReadFailure | null = null
  #awayInARow = 0

  /** Without `leavesOut`, the first text that may be readable later throws StorageAway. */
  constructor(ports: ReadPorts, leavesOut: boolean) {
    this.#ports = ports
    this.#leavesOut = leavesOut
  }

  /** Of samples that were not deleted meanwhile. */
  async read(rows: readonly TextRow[]): Promise<Map<string, SelectedText>> {
    const inStorage = rows.filter(({ object_key }) => object_key !== null)
    const onPlatform = rows.filter(({ object_key }) => object_key === null)
    const ids = onPlatform.map(({ id }) => id)
    const texts = new Map<string, SelectedText>()
    for (const [id, text] of await readSampleTexts(this.#ports.storage.db, ids)) {
      this.#readsPlatform = true
      texts.set(id, { text, isLeftOut: false })
    }
    await inParallel(inStorage, objectsAtOnce, async (row) =>
      texts.set(row.id, await this.#readObject(row)),
    )
    return texts
  }

  /** Throws StorageAway where nothing in the workspace's own storage could be read. */
  end(): void {
    if (this.#failure === null || this.#readsStorage) return
    // Its samples may never come back, so those on the platform are enough to go on.
    if (this.#failure === 'disconnected' && this.#readsPlatform) return
    throw new StorageAway(this.#failure)
  }

  async #readObject(row: TextRow): Promise<SelectedText> {
    const reading = await tryReadText(this.#ports, row)
    if ('text' in reading) {
      this.#readsStorage = true
      this.#awayInARow = 0
      return { text: reading.text, isLeftOut: false }
    }
    const { failure, storageAway = false } = reading
    if (isGone(failure)) return { text: null, isLeftOut: false }
    if (storageAway) this.#awayInARow += 1
    if (!this.#leavesOut || this.#awayInARow >= awayInARowMost) throw new StorageAway(failure)
    if (this.#failure === null || this.#failure === 'disconnected') this.#failure = failure
    return { text: null, isLeftOut: true }
  }
}
