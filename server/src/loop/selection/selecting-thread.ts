// The thread that selects rows: it reads, renders and tokenizes, so that calls are answered meanwhile.
import { Kysely, PostgresDialect } from 'kysely'
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadFailure } from '#contract/own-storage.ts'
import { openRowEncoder } from '../../compute/open-row-encoder.ts'
import type { RowEncoder } from '../../compute/row-encoder.ts'
import { systemClock } from '../../lib/clock.ts'
import { readHostList } from '../../lib/host-list.ts'
import { serveTasks } from '../../lib/serve-tasks.ts'
import { giveWayToCalls } from '../../lib/thread-priority.ts'
import { GuardedPool } from '../../storage/guarded-pool.ts'
import type { Database } from '../../storage/schema.ts'
import { OwnStorages } from '../../samples/own-storage/own-storages.ts'
import type { RowsSelection, SelectTask } from './rows-selection.ts'
import { selectRows } from './select-rows.ts'
import { StorageAway } from './storage-away.ts'

export type SelectingThreadData = {
  databaseUrl: string
  ownStorage: { key: Uint8Array; hosts: string }
}

/** An error would reach the other side as its message alone. */
export type SelectedOrAway = RowsSelection | { away: ReadFailure }

/** Objects are read several at a time, and each read asks for its bucket. */
const connectionsMax = 4
const connectMs = 10_000
const queryMs = 60_000

const port = parentPort
if (!port) throw new Error('selecting-thread.ts is started as a thread')
giveWayToCalls(10)
const { databaseUrl, ownStorage } = workerData as SelectingThreadData
const hosts = readHostList(ownStorage.hosts)
if ('wrong' in hosts) throw new Error('the list of hosts was read before')
const pool = new GuardedPool({ url: databaseUrl, connectionsMax, connectMs, queryMs })
const storage = { db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) }
// This thread hears no changes, so it asks the database each time which bucket a workspace has.
const changes = { connected: false, on() {} }
const ownStorages = new OwnStorages({ ...storage, changes }, systemClock, {
  key: ownStorage.key,
  hosts,
})
let opened: { key: string; encoder: RowEncoder } | null = null

serveTasks<SelectTask, SelectedOrAway>(port, {
  async run(task, signal) {
    const encoder = await openedEncoder(task.settings)
    try {
      return await selectRows({ storage, samples: { ownStorages } }, encoder, task, signal)
    } catch (error) {
      if (error instanceof StorageAway) return { away: error.reason }
      throw error
    }
  },
  async close() {
    ownStorages.close()
    await storage.db.destroy()
  },
})

/** The last one is kept, because reading a large vocabulary takes seconds. */
async function openedEncoder({
  modelFolder,
  contextWindow,
}: SelectTask['settings']): Promise<RowEncoder> {
  const key = `${contextWindow} ${modelFolder}`
  if (opened?.key !== key) {
    opened = null
    opened = { key, encoder: await openRowEncoder(modelFolder, contextWindow) }
  }
  return opened.encoder
}
