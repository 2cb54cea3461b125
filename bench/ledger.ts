// Settled calls per second: hold and post through the wallet, against one plain transaction per call on the same
// wallets, on a database that waits for the disk as in production.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { newId } from '../server/src/lib/id.ts'
import { startEmbeddedPostgres } from '../server/src/storage/embedded-postgres/start-embedded-postgres.ts'
import { chargedCall, walletRig } from '../server/test/support/wallet-rig.ts'

const seconds = 3
const concurrency = 64

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-bench-'))
  const database = await startEmbeddedPostgres({ dataDir, log: () => {} })
  const rig = await walletRig(database.url)
  const { wallets } = await rig.process()
  const pool = new pg.Pool({ connectionString: database.url, max: 16 })
  const workspaceId = newId(new Date())

  const grouped = async (walletId: string): Promise<void> => {
    const requestId = newId(new Date())
    const hold = await wallets.hold({
      walletId,
      workspaceId,
      keyId: null,
      requestId,
      amount: 1000n,
    })
    await hold.post(700n, chargedCall)
  }
  // What a call costs without leases and groups: check and debit in one transaction of its own.
  const plain = async (walletId: string): Promise<void> => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query({
        name: 'debit',
        text: 'update wallet set balance = balance - 700 where id = $1 and balance - leased >= 1000',
        values: [walletId],
      })
      await client.query({
        name: 'entry',
        text: `insert into ledger_entry
          (id, wallet_id, kind, amount, workspace_id, request_id, detail, created_at)
          values ($1, $2, 'charge', -700, $3, $4, '{"model": "bench"}', now())`,
        values: [newId(new Date()), walletId, workspaceId, newId(new Date())],
      })
      await client.query('commit')
    } finally {
      client.release()
    }
  }

  const fund = 10n ** 18n
  console.log(`settled calls per second, concurrency ${concurrency}, ${seconds} s each`)
  for (const count of [1, 100]) {
    const ids = await Promise.all(Array.from({ length: count }, () => rig.wallet(fund)))
    const rates: Record<string, number[]> = { plain: [], grouped: [] }
    // Alternating, so that a noisy neighbour hits both.
    for (let round = 0; round < 2; round++) {
      rates.plain?.push(await perSecond(plain, ids))
      rates.grouped?.push(await perSecond(grouped, ids))
    }
    const best = (name: string): number => Math.max(...(rates[name] ?? []))
    console.log(
      `${String(count).padStart(4)} wallet${count === 1 ? ' ' : 's'}: one transaction per call ${best('plain').toFixed(0)}/s, ` +
        `Hone ${best('grouped').toFixed(0)}/s, ratio ${(best('grouped') / best('plain')).toFixed(1)}`,
    )
    for (const id of ids.slice(0, 3)) {
      const { balance, entries } = await rig.read(id)
      if (balance !== entries) throw new Error('the ledger does not add up after the benchmark')
    }
  }
  await pool.end()
  await rig.close()
  await database.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function perSecond(
  call: (walletId: string) => Promise<void>,
  ids: string[],
): Promise<number> {
  const until = performance.now() + seconds * 1000
  let done = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async (_, worker) => {
      for (let i = worker; performance.now() < until; i++) {
        await call(ids[i % ids.length] as string)
        done += 1
      }
    }),
  )
  return (done * 1000) / (performance.now() - started)
}
