// Rows per second of an import over HTTP, against a plain INSERT of the same rows as text into a table with nothing but
// ids, in batches of the same size on the same database. A real server process on its embedded database, which waits for
// the disk as in production. The search index is built behind an import; each measurement waits until that is done.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { importRowsMax } from '#contract/limits.ts'
import { newId } from '#server/lib/id.ts'
import { type HoneProcess, startHone } from '../gateway/processes.ts'
import { median } from '../median.ts'
import { corpus } from './corpus.ts'

const rounds = Number(process.env.HONE_BENCH_ROUNDS ?? 6)
/** A user who imports a file of many thousand rows sends as many calls; with fewer than this the engine is still compiling. */
const warmRounds = 4
const batch = 500
const goal = 0.4

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-bench-'))
  const hone = await startHone(dataDir)
  try {
    const client = new pg.Client(await readFile(join(dataDir, 'database-url'), 'utf8'))
    await client.connect()
    await client.query(
      'create table bench_plain (workspace_id uuid, id uuid, text text not null, primary key (workspace_id, id))',
    )
    await measure(hone, client)
    await client.end()
  } finally {
    const ended = new Promise((resolve) => hone.child.once('exit', resolve))
    hone.child.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measure(hone: HoneProcess, client: pg.Client): Promise<void> {
  const rows = makeRows()
  const texts = rows.map((row) => JSON.stringify(row))
  const bodies = {
    list: JSON.stringify({ source: 'bench', rows }),
    lines: texts.join('\n'),
  }
  const importAs = {
    list: () => post(hone, '/api/loop/import', 'application/json', bodies.list),
    lines: () => post(hone, '/api/loop/import?source=bench', 'application/x-ndjson', bodies.lines),
  }
  const plain = () => insertPlain(client, texts)
  // The first of each compile and connect.
  for (let round = 0; round < warmRounds; round++) {
    for (const act of [plain, importAs.list, importAs.lines]) await act()
  }
  const rates: Record<string, number[]> = { plain: [], list: [], lines: [] }
  // Alternating, so that a noisy neighbour hits all.
  for (let round = 0; round < rounds; round++) {
    for (const [name, act] of Object.entries({ plain, ...importAs })) {
      await calm(client)
      rates[name]?.push(await rateOf(act))
    }
  }
  const bytes = Math.round(texts.reduce((sum, text) => sum + text.length, 0) / texts.length)
  console.log(`rows per second, ${importRowsMax} rows of ${bytes} bytes, median of ${rounds}`)
  const floor = median(rates.plain ?? [])
  console.log(`  plain INSERT, batches of ${batch}: ${floor.toFixed(0)}/s`)
  for (const form of ['list', 'lines'] as const) {
    const rate = median(rates[form] ?? [])
    const ratio = rate / floor
    const verdict = ratio >= goal ? 'holds' : 'missed'
    console.log(
      `  import as ${form}: ${rate.toFixed(0)}/s, ratio ${ratio.toFixed(2)} (goal ${goal}: ${verdict})`,
    )
  }
}

function makeRows(): { prompt: string; completion: string; label?: boolean }[] {
  const made = corpus()
  return Array.from({ length: importRowsMax }, (_, number) => {
    const { messages, answer } = made.conversation(number)
    const said = (block: unknown): string => (block as { text: string }).text
    const row = { prompt: said(messages[0]?.blocks[0]), completion: said(answer?.[0]) }
    return number % 5 === 0 ? { ...row, label: true } : row
  })
}

async function post(
  { url, key }: HoneProcess,
  path: string,
  type: string,
  body: string,
): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': type }
  const answer = await fetch(url + path, { method: 'POST', headers, body })
  const { imported } = (await answer.json()) as { imported?: number }
  if (imported !== importRowsMax) throw new Error(`${imported} rows were imported`)
}

const slots = Array.from({ length: batch }, (_, index) => {
  const [workspace, id, text] = [3 * index + 1, 3 * index + 2, 3 * index + 3]
  return `($${workspace},$${id},$${text})`
})
const insertText = `insert into bench_plain (workspace_id, id, text) values ${slots.join(',')}`
const workspaceId = newId(new Date())

async function insertPlain(client: pg.Client, texts: readonly string[]): Promise<void> {
  for (let at = 0; at < texts.length; at += batch) {
    const values = texts
      .slice(at, at + batch)
      .flatMap((text) => [workspaceId, newId(new Date()), text])
    await client.query({ name: 'plain', text: insertText, values })
  }
}

/** Returns when nothing waits for the index and no other statement has run for a while. */
async function calm(client: pg.Client): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet++) {
    const { rows } = await client.query<{ busy: boolean }>(
      `select (select coalesce(sum(cardinality(sample_ids)), 0) from search_queue) >= 256 or exists (
         select from pg_stat_activity
         where state <> 'idle' and pid <> pg_backend_pid() and backend_type = 'client backend'
       ) as busy`,
    )
    if (rows[0]?.busy) quiet = -1
    await delay(100)
  }
}

async function rateOf(act: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await act()
  return (importRowsMax * 1000) / (performance.now() - started)
}
