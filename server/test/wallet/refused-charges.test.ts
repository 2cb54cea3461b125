// Charges that the database refuses: they wait while somebody may put it right, and are given up only where the charge itself
// is what it does not take.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readLeftPages } from '#server/wallet/charge-journal.ts'
import { chargeLeftPages } from '#server/wallet/charge-left-pages.ts'
import type { Hold } from '#server/wallet/hold.ts'
import { until } from '#test/support/until.ts'
import {
  chargedCall,
  type Process,
  request,
  type WalletRig,
  walletRig,
} from '#test/support/wallet-rig.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
  await sql`
    create table trouble (code text, amount numeric);
    create function make_trouble() returns trigger language plpgsql as $$
    declare
      found text := (select code from trouble where amount is null or amount = new.amount);
    begin
      if found is not null then raise exception 'trouble' using errcode = found; end if;
      return new;
    end $$;
    create trigger make_trouble before insert on ledger_entry
      for each row execute function make_trouble();
  `.execute(rig.storage.db)
})
after(() => rig.close())

const log = pino({ level: 'silent' })
/** With every charge, or with those of this amount. */
const begin = (code: string, amount: number | null = null) =>
  sql`insert into trouble values (${code}, ${amount})`.execute(rig.storage.db)
const end = () => sql`delete from trouble`.execute(rig.storage.db)

async function postAll(walletId: string, { wallets }: Process): Promise<Promise<boolean>[]> {
  const holds: Hold[] = []
  for (let i = 0; i < 3; i++) holds.push(await wallets.hold(request(walletId, 100n)))
  return holds.map((hold, i) => hold.post(BigInt(i + 1), chargedCall))
}

// A right that was taken away, a table that is gone, a statement that a pooler forgot, a server in doubt.
for (const code of ['42501', '42P01', '26000', 'XX000']) {
  test(`charges that meet an error ${code} are told of once, and posted when it is over`, async () => {
    const walletId = await rig.wallet(1000n)
    const process = await rig.process()
    await begin(code)
    const posted = await postAll(walletId, process)
    await until(() => process.refused.length > 0)
    assert.equal((await rig.read(walletId)).charges, 0)
    await end()
    assert.deepEqual(await Promise.all(posted), [true, true, true])
    assert.deepEqual([process.refused.length, process.unpaid.length], [1, 0])
    const { balance, entries, charges } = await rig.read(walletId)
    assert.deepEqual([balance, entries, charges], [994n, 994n, 3])
  })
}

test('charges whose values the database does not take are given up', async () => {
  const walletId = await rig.wallet(1000n)
  const process = await rig.process()
  await begin('22003')
  const posted = await Promise.all(await postAll(walletId, process))
  await end()
  assert.deepEqual(posted, [false, false, false])
  assert.deepEqual([process.refused.length, process.unpaid.length], [0, 3])
  assert.equal((await rig.read(walletId)).balance, 1000n)
})

test('one charge whose values the database does not take costs none of the others', async () => {
  const walletId = await rig.wallet(1000n)
  const process = await rig.process()
  await begin('22003', -2)
  const posted = await Promise.all(await postAll(walletId, process))
  await end()
  assert.deepEqual(posted, [true, false, true])
  assert.deepEqual([process.refused.length, process.unpaid.length], [0, 1])
  const { balance, entries, charges } = await rig.read(walletId)
  assert.deepEqual([balance, entries, charges], [996n, 996n, 2])
})

test('a start goes on when what an ended process left is refused, and loses none of it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hone-refused-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const walletId = await rig.wallet(1000n)
  const report = { failed: (error: unknown) => assert.fail(String(error)) }
  const killed = await rig.process({ journal: { folder, report } })
  await begin('42501')
  const posted = await postAll(walletId, killed)
  const left = async () => (await readLeftPages(folder)).flatMap(({ charges }) => charges)
  await until(async () => (await left()).length === 3)
  const next = await rig.process()
  await chargeLeftPages({ wallets: next.wallets, log }, await readLeftPages(folder), true, 1)
  assert.equal(readdirSync(folder).length > 0, true, 'its files stay for another start')
  await end()
  await Promise.all(posted)
  await next.wallets.chargesWritten()
  await until(() => next.wallets.chargesPending === 0)
  const { balance, entries, charges } = await rig.read(walletId)
  assert.deepEqual([balance, entries, charges, next.unpaid], [994n, 994n, 3, []])
})
