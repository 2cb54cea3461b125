// Kills a Hone before and after each thing that it does with a reservation, and lets another one repeat it all.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { openStorage } from '#server/storage/open-storage.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { readCharges, reservationEffects } from '#server/wallet/reserve.ts'
import { testDatabase } from '#test/support/test-database.ts'

const program = fileURLToPath(new URL('./reserve-and-charge.ts', import.meta.url))

/** Runs the program on these attempts until it ends by itself or is killed. */
type Run = (
  references: string[],
  crashAt?: string,
) => Promise<[code: number | null, signal: string]>

async function programOn(t: TestContext, databaseUrl: string): Promise<Run> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-reservations-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await writeFile(join(dataDir, 'catalog.json'), JSON.stringify({ models: [] }))
  return async (references, crashAt) => {
    const child = fork(program, references, {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PORT: '0',
        HONE_DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        HONE_LOG_LEVEL: 'silent',
        ...(crashAt === undefined ? {} : { HONE_CRASH_AT: crashAt }),
      },
    })
    t.after(() => child.kill('SIGKILL'))
    return (await once(child, 'exit')) as [number | null, string]
  }
}

test('killed before or after anything it does with a reservation, a process charges once and leaves nothing reserved', async (t) => {
  const database = await testDatabase()
  const storage = await openStorage(database.url, systemClock)
  t.after(() => storage.close())
  const run = await programOn(t, database.url)
  const points = reservationEffects.flatMap((effect) => [`before:${effect}`, `after:${effect}`])
  const attempts = new Map(points.map((point) => [point, newId(new Date())]))
  for (const [point, reference] of attempts) {
    assert.deepEqual(await run([reference], point), [null, 'SIGKILL'], `${point} was not reached`)
  }
  assert.deepEqual(await run([...attempts.values()]), [0, null])

  for (const [point, reference] of attempts) {
    const charges = await readCharges({ storage, clock: systemClock }, reference)
    assert.deepEqual(charges, { training: 300n, serving: 0n, scoring: 0n, retest: 0n }, point)
  }
  const entries = storage.db
    .selectFrom('ledger_entry')
    .select('amount')
    .where('kind', '=', 'training')
  const charged = (await entries.execute()).map(({ amount }) => amount)
  assert.deepEqual(charged, Array<string>(points.length).fill('-300'))
  const wallet = await storage.db.selectFrom('wallet').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([wallet.leased, wallet.reserved], ['0', '0'])
  assert.deepEqual(await auditLedger(storage.db), { wallets: 1, problems: [] })
})
