// A process that was cut off long enough to lose its lease: what it delivered is charged if funds are left, never
// twice, and never below zero. And the ledger itself cannot be rewritten.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { takeBackLeases } from '#server/wallet/wallet-store.ts'
import { InsufficientFunds } from '#server/wallet/lacking-funds.ts'
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
})
after(() => rig.close())

async function takeBackEverything(): Promise<void> {
  await sql`update wallet_lease set expires_at = now() - interval '1 minute'`.execute(
    rig.storage.db,
  )
  await takeBackLeases(rig.storage, false)
}

test('a charge whose lease was taken back is paid from what is free', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets, unpaid } = await rig.process()
  const hold = await wallets.hold(request(walletId, 600n))
  await takeBackEverything()
  assert.equal((await rig.read(walletId)).leased, 0n)
  await hold.post(500n, chargedCall)
  const seen = await rig.read(walletId)
  assert.equal(seen.balance, 500n)
  assert.equal(seen.entries, 500n)
  assert.deepEqual(unpaid, [])
  await wallets.renew()
  await wallets.hold(request(walletId, 500n))
  await assert.rejects(async () => wallets.hold(request(walletId, 1n)), InsufficientFunds)
})

test('a charge that finds its funds spent is reported and not posted', async () => {
  const walletId = await rig.wallet(1000n)
  const cutOff = await rig.process()
  const other = await rig.process()
  const late = await cutOff.wallets.hold(request(walletId, 900n))
  await takeBackEverything()
  const quick = await other.wallets.hold(request(walletId, 800n))
  await quick.post(800n, chargedCall)
  await late.post(900n, chargedCall)
  const seen = await rig.read(walletId)
  assert.equal(seen.balance, 200n)
  assert.equal(seen.entries, 200n)
  assert.equal(cutOff.unpaid.length, 1)
})

for (const [noticed, notice] of [
  ['its renewal', (one: Process) => one.wallets.renew()],
  ['a hold it has no room for', (one: Process, id: string) => one.wallets.hold(request(id, 960n))],
] as const) {
  test(`D8: a process that learns by ${noticed} that its slice is gone holds nothing in it any more`, async () => {
    const walletId = await rig.wallet(1000n)
    const one = await rig.process()
    ;(await one.wallets.hold(request(walletId, 100n))).void()
    await takeBackEverything()
    const other = await rig.process()
    await other.wallets.hold(request(walletId, 950n))
    await Promise.resolve(notice(one, walletId)).catch(() => {})
    await assert.rejects(async () => one.wallets.hold(request(walletId, 60n)), InsufficientFunds)
    const { leased, balance } = await rig.read(walletId)
    assert.deepEqual([balance, leased >= 950n && leased <= 1000n], [1000n, true])
  })
}

test('a lease that runs out by itself is noticed before the next hold', async () => {
  const walletId = await rig.wallet(1000n)
  const first = await rig.process({ leaseMs: 300 })
  const hold = await first.wallets.hold(request(walletId, 100n))
  hold.void()
  await takeBackEverything()
  const other = await rig.process()
  await other.wallets.hold(request(walletId, 950n))
  // The first process believed in its slice until its own clock told it to ask again.
  while (true) {
    try {
      const again = await first.wallets.hold(request(walletId, 60n))
      again.void()
      await new Promise((resolve) => setTimeout(resolve, 20))
    } catch (error) {
      assert.ok(error instanceof InsufficientFunds)
      break
    }
  }
})

test('the ledger refuses to be changed, and the audit sees a changed balance', async () => {
  const walletId = await rig.wallet(1000n)
  for (const statement of [
    sql`update ledger_entry set amount = amount + 1`,
    sql`delete from ledger_entry`,
    sql`truncate ledger_entry`,
  ]) {
    await assert.rejects(statement.execute(rig.storage.db), /append-only/)
  }
  assert.deepEqual((await auditLedger(rig.storage.db)).problems, [])
  await sql`update wallet set balance = balance + 1 where id = ${walletId}`.execute(rig.storage.db)
  const { problems } = await auditLedger(rig.storage.db)
  assert.equal(problems.length, 1)
  assert.match(problems[0] ?? '', new RegExp(walletId))
})

test('the audit sees what is leased without a lease', async () => {
  const walletId = await rig.wallet(1000n)
  const { db } = rig.storage
  const known = (await auditLedger(db)).problems
  await sql`update wallet set leased = 1 where id = ${walletId}`.execute(db)
  const found = (await auditLedger(db)).problems.filter((problem) => !known.includes(problem))
  assert.deepEqual(found, [
    `wallet ${walletId}: 0.000000000001 USD are marked as leased but its leases add up to 0`,
  ])
})
