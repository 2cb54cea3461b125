// What selecting the rows of a training costs: for more and more samples the time of each, the memory of the process, and how long its
// main thread is held up. Each size runs in a process of its own, because the peak of memory is of a whole process.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import type { NewSample } from '#server/samples/sample/sample.ts'
import { startEmbeddedPostgres } from '#server/storage/embedded-postgres/start-embedded-postgres.ts'
import { migrate } from '#server/storage/migrate.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import type { Measured } from './loop/select.ts'
import { type Corpus, corpus } from './samples/corpus.ts'
import { madeSample } from './samples/made-samples.ts'

const sizes = (process.env.HONE_BENCH_SAMPLES ?? '1000,10000,200000').split(',').map(Number)
const program = fileURLToPath(new URL('./loop/select.ts', import.meta.url))
const batch = 500

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-bench-'))
  const database = await startEmbeddedPostgres({ dataDir, log: () => {} })
  await migrate(database.url)
  const storage = await openStorage(database.url, systemClock, { queryMs: 600_000 })
  const made = corpus()
  let first: Measured | null = null
  for (const size of sizes) {
    const workspaceId = newId(new Date())
    await load(storage, made, workspaceId, size)
    await sql`vacuum analyze`.execute(storage.db)
    const { stdout } = await promisify(execFile)(process.execPath, [
      program,
      database.url,
      workspaceId,
    ])
    const measured = JSON.parse(stdout) as Measured
    first ??= measured
    const each = (1000 * measured.seconds) / size
    console.log(
      `${size} samples: ${measured.seconds.toFixed(1)} s, ${each.toFixed(2)} ms each ` +
        `(${ratio(measured.seconds / size, first.seconds / sizes[0]!)} of the first), ` +
        `${measured.trainRows} to train on, ${measured.holdoutRows} held back, rows ${measured.fileMb.toFixed(0)} MB; ` +
        `RSS at most ${measured.rssMb.toFixed(0)} MB (${ratio(measured.rssMb, first.rssMb)}), ` +
        `main thread held up ${measured.delayMs.toFixed(1)} ms at most, an idle thread ${measured.idleDelayMs.toFixed(1)} ms`,
    )
  }
  await storage.close()
  await database.stop()
  await rm(dataDir, { recursive: true, force: true })
}

function ratio(value: number, first: number): string {
  return `${(value / first).toFixed(2)} times`
}

async function load(
  storage: Storage,
  made: Corpus,
  workspaceId: string,
  size: number,
): Promise<void> {
  for (let from = 0; from < size; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, size - from) }, (_, at) => from + at)
    await insertSamples(
      storage,
      numbers.map((number) => good(madeSample(made, workspaceId, number, size))),
    )
  }
}

function good(sample: NewSample): NewSample {
  return {
    ...sample,
    tags: ['bench'],
    signal: {
      id: newId(sample.createdAt),
      verdict: 'accepted',
      correction: null,
      givenBy: 'import',
      gold: true,
      userId: null,
      keyId: null,
    },
  }
}
