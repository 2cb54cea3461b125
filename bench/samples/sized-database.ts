// A database with so many samples in it, stored and indexed by the code that does so in production.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { indexDefaults, indexWorkspace } from '#server/samples/search/index-workspace.ts'
import { startEmbeddedPostgres } from '#server/storage/embedded-postgres/start-embedded-postgres.ts'
import { migrate } from '#server/storage/migrate.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { corpus } from './corpus.ts'
import { madeSample } from './made-samples.ts'

export type SizedDatabase = {
  size: number
  storage: Storage
  workspaceId: string
  /** Ends the server and removes what it wrote. */
  close(): Promise<void>
}

export async function sizedDatabase(size: number): Promise<SizedDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-bench-'))
  // The log of what was written is kept short, because a million samples fill a disk well enough without it.
  const settings = { max_wal_size: '512MB' }
  const database = await startEmbeddedPostgres({ dataDir, log: () => {}, settings })
  await migrate(database.url)
  const storage = await openStorage(database.url, systemClock, { queryMs: 600_000 })
  const workspaceId = newId(new Date())
  await load(storage, workspaceId, size)
  await index(storage, workspaceId, size)
  await sql`vacuum analyze`.execute(storage.db)
  return {
    size,
    storage,
    workspaceId,
    async close() {
      await storage.close()
      await database.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const batch = 500

async function load(storage: Storage, workspaceId: string, size: number): Promise<void> {
  const made = corpus()
  const started = performance.now()
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < size) {
      const from = next
      next += batch
      const numbers = Array.from({ length: Math.min(batch, size - from) }, (_, i) => from + i)
      const samples = numbers.map((number) => madeSample(made, workspaceId, number, size))
      await insertSamples(storage, samples)
    }
  }
  await Promise.all([worker(), worker(), worker()])
  console.log(`${size} samples: stored at ${perSecond(size, started)}/s`)
}

async function index(storage: Storage, workspaceId: string, size: number): Promise<void> {
  const started = performance.now()
  while (await indexWorkspace(storage, workspaceId, indexDefaults));
  type Sizes = Record<'segments' | 'blocks' | 'index' | 'texts' | 'all', string>
  const { rows } = await sql<Sizes>`
    select count(*) as segments,
      (select count(*) from search_block) as blocks,
      pg_size_pretty(
        pg_total_relation_size('search_block') + pg_total_relation_size('search_segment')
      ) as index,
      pg_size_pretty(pg_total_relation_size('sample_text')) as texts,
      pg_size_pretty(pg_database_size(current_database())) as all
    from search_segment
  `.execute(storage.db)
  const [row] = rows
  console.log(
    `${size} samples: indexed at ${perSecond(size, started)}/s into ${row?.segments} segments of ` +
      `${row?.blocks} blocks; index ${row?.index}, texts ${row?.texts}, whole database ${row?.all}`,
  )
}

function perSecond(count: number, started: number): string {
  return ((count * 1000) / (performance.now() - started)).toFixed(0)
}
