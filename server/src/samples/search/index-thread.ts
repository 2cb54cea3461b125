// The thread that keeps the search index in step with the samples: told to, it goes on until there is nothing left to do. Texts
// come to it from the database and leave as blocks without passing the thread that answers calls.
import { Kysely, PostgresDialect } from 'kysely'
import { parentPort, workerData } from 'node:worker_threads'
import { serveTasks } from '../../lib/serve-tasks.ts'
import { giveWayToCalls } from '../../lib/thread-priority.ts'
import { GuardedPool } from '../../storage/guarded-pool.ts'
import type { Database } from '../../storage/schema.ts'
import { indexDefaults, indexWorkspace, tidyWorkspace } from './index-workspace.ts'
import { findWorkspacesToIndex } from './segment-store.ts'

export type IndexThreadData = { databaseUrl: string }

/** One keeps the turn, one reads, one writes. */
const connectionsMax = 3
const connectMs = 3000
/** Nobody waits for it; a large segment takes its time on a busy machine. */
const queryMs = 15_000

const port = parentPort
if (!port) throw new Error('index-thread.ts is started as a thread')
// What it has not come to yet waits in the database, where a search looks at it all the same.
giveWayToCalls(10)
const { databaseUrl } = workerData as IndexThreadData
const pool = new GuardedPool({ url: databaseUrl, connectionsMax, connectMs, queryMs })
const storage = { pool, db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) }

serveTasks<'index', null>(port, {
  async run(_, signal) {
    await indexAll(signal)
    return null
  },
  close: () => storage.db.destroy(),
})

async function indexAll(signal: AbortSignal): Promise<void> {
  // A queue that grew meanwhile may wait, but segments that were added may have to be merged.
  const changed = new Set<string>()
  for (let worked = true; worked && !signal.aborted;) {
    worked = false
    // In turns, so that a large import does not keep the others waiting.
    for (const workspaceId of await findWorkspacesToIndex(storage, indexDefaults)) {
      if (signal.aborted) return
      if (await indexWorkspace(storage, workspaceId, indexDefaults)) {
        changed.add(workspaceId)
        worked = true
      }
    }
    for (const workspaceId of changed) {
      if (signal.aborted) return
      if (await tidyWorkspace(storage, workspaceId, indexDefaults)) worked = true
      else changed.delete(workspaceId)
    }
  }
}
