// Kills the real server while it charges for storage, and starts it again on the same folder: the day is charged once.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import { newId } from '#server/lib/id.ts'
import {
  chosenOwner,
  databaseUrlIn,
  honeProcess,
  type HoneProcess,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { eventually } from '#test/support/loop-hone.ts'
import { callHttp } from '#test/support/test-hone.ts'

const env = {
  NODE_OPTIONS: `--import=${new URL('../../support/hurried-tasks.ts', import.meta.url).href}`,
}
/** So that a day of a single conversation costs some cents. */
const catalog = { models: [], storage: { usd_per_gb_month: '5000000' } }
const cent = 10_000_000_000n
const lock = 4242

type Books = { entries: bigint[]; accrued: bigint; charged: bigint; days: bigint[] }

async function booksIn({ dataDir }: HoneProcess): Promise<Books> {
  const [row] = await inDatabase<{ books: string }>(
    databaseUrlIn(dataDir),
    `select json_build_object(
      'entries', (select coalesce(json_agg((-amount)::text), '[]') from ledger_entry where kind = 'storage'),
      'days', (select coalesce(json_agg(cost::text), '[]') from storage_day),
      'accrued', (select coalesce(sum(accrued), 0)::text from storage_bill),
      'charged', (select coalesce(sum(charged), 0)::text from storage_bill)
    )::text as books`,
  )
  const read = JSON.parse(row?.books ?? '') as Record<keyof Books, string & string[]>
  return {
    entries: read.entries.map(BigInt),
    days: read.days.map(BigInt),
    accrued: BigInt(read.accrued),
    charged: BigInt(read.charged),
  }
}

const sum = (amounts: bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)

async function started(before?: HoneProcess): Promise<{ hone: HoneProcess; url: string }> {
  if (before) {
    const hone = await before.restart(env)
    return { hone, url: await hone.listening() }
  }
  const dataDir = await preparedFolder()
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalog))
  const hone = honeProcess({ dataDir, env })
  return { hone, url: await hone.listening() }
}

const key = chosenOwner.key

async function post(url: string): Promise<void> {
  const body = { deployment_id: 'serverless', prompt: 'x'.repeat(2000), completion: 'Yes.' }
  const answer = await callHttp(url, 'POST', '/api/loop/traces', { key, body })
  assert.equal(answer.status, 201, answer.text)
}

async function balance(url: string): Promise<string> {
  const { json } = await callHttp(url, 'GET', '/api/wallet', { key })
  return (json as unknown as { balance_usd: string }).balance_usd
}

async function topUp(url: string): Promise<void> {
  const headers = { 'idempotency-key': newId(new Date()) }
  const body = { amount_usd: '10' }
  const answer = await callHttp(url, 'POST', '/api/wallet/top-ups', { key, headers, body })
  assert.equal(answer.status, 201, answer.text)
}

/** Twice the counts of what is stored are folded, which is where the task begins: so it ran to its end in between. */
async function wholeRound(hone: HoneProcess, url: string): Promise<void> {
  const rows = async (): Promise<number> =>
    (await inDatabase(databaseUrlIn(hone.dataDir), 'select 1 from sample_storage')).length
  for (let round = 0; round < 2; round++) {
    await post(url)
    await eventually(rows, (count) => count === 1)
  }
}

/** Whoever gets there waits for a lock that the test holds. */
async function stopAt(hone: HoneProcess, event: string): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: databaseUrlIn(hone.dataDir) })
  // It dies with the server.
  holder.on('error', () => {})
  await holder.connect()
  await holder.query(`
    select pg_advisory_lock(${lock});
    create function wait_here() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${lock}); return new; end $$;
    create trigger wait_here before ${event} execute function wait_here()`)
  return async () => {
    const waiting = () =>
      inDatabase(
        databaseUrlIn(hone.dataDir),
        `select 1 from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`,
      )
    await eventually(waiting, (rows) => rows.length > 0)
  }
}

const moments: Record<string, (hone: HoneProcess) => Promise<() => Promise<void>>> = {
  'before the charge is in the ledger': (hone) =>
    stopAt(hone, `insert on ledger_entry for each row when (new.kind = 'storage')`),
  'between the charge and the record of it': (hone) =>
    stopAt(hone, 'update of charged on storage_bill for each row'),
  'after both were committed': async (hone) => async () => {
    await eventually(
      () => booksIn(hone),
      ({ entries }) => entries.length > 0,
    )
  },
}

describe('the daily charge for storage, killed', { concurrency: 2 }, () => {
  for (const [name, stop] of Object.entries(moments)) {
    test(`${name}, is made exactly once`, async () => {
      const first = await started()
      await topUp(first.url)
      const full = await balance(first.url)
      const reached = await stop(first.hone)
      await post(first.url)
      await reached()
      first.hone.kill('SIGKILL')
      assert.deepEqual(await first.hone.ended, { code: null, signal: 'SIGKILL' })

      const { hone, url } = await started(first.hone)
      await eventually(
        () => booksIn(hone),
        ({ entries }) => entries.length > 0,
      )
      await wholeRound(hone, url)
      const { entries, days, accrued, charged } = await booksIn(hone)
      // One day, or two where the test ran through midnight.
      assert.equal(entries.length, days.length)
      assert.equal(accrued, sum(days))
      assert.equal(charged, sum(entries))
      assert.ok(charged > 0n && accrued - charged < cent)
      const paid = Math.round((Number(full) - Number(await balance(url))) * 100)
      assert.equal(BigInt(paid) * cent, charged)
      hone.kill('SIGTERM')
      await hone.ended
    })
  }
})
