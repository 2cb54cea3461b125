// Reservations beside the leases of several processes: what is reserved is spent by no call, and what no call holds can be reserved.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import type { Storage } from '#server/storage/open-storage.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { InsufficientFunds } from '#server/wallet/lacking-funds.ts'
import {
  chargeReservation,
  readCharges,
  releaseReservation,
  reservedFunds,
  reserveFunds,
} from '#server/wallet/reserve.ts'
import { takeFunds } from '#server/wallet/wallet-store.ts'
import { chargedCall, request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
})
after(() => rig.close())

const on = ({ storage }: { storage: Storage }) => ({ storage, clock: systemClock })

function reservation(walletId: string, amount: bigint, reference = newId(new Date())) {
  return { orgId: walletId, workspaceId: walletId, purpose: 'training' as const, reference, amount }
}

async function kinds(walletId: string): Promise<[kind: string, amount: bigint][]> {
  const { rows } = await sql<{ kind: string; amount: string }>`
    select kind, amount from ledger_entry where wallet_id = ${walletId} and amount < 0 order by seq
  `.execute(rig.storage.db)
  return rows.map(({ kind, amount }) => [kind, BigInt(amount)])
}

test('what processes have leased and do not need is reserved; what calls hold is missing', async () => {
  const walletId = await rig.wallet(100_000n)
  const [one, two] = [await rig.process(), await rig.process()]
  const held = [
    await one.wallets.hold(request(walletId, 100n)),
    await two.wallets.hold(request(walletId, 200n)),
  ]
  assert.ok((await rig.read(walletId)).leased > 1000n, 'both have leased more than they hold')
  assert.deepEqual(await reserveFunds(on(one), reservation(walletId, 99_701n)), { short: 1n })
  const all = reservation(walletId, 99_700n)
  assert.equal(await reserveFunds(on(one), all), 'reserved')
  for (const { wallets } of [one, two]) {
    await assert.rejects(async () => wallets.hold(request(walletId, 1n)), InsufficientFunds)
  }
  for (const hold of held) assert.equal(await hold.post(50n, chargedCall), true)
  await chargeReservation(on(two), { ...all, amount: 99_000n, detail: {} })
  const { balance, entries } = await rig.read(walletId)
  assert.deepEqual([balance, entries], [900n, 900n])
  const next = await two.wallets.hold(request(walletId, 900n))
  next.void()
})

test('of many reservations at once, as many fit as the balance covers', async () => {
  const walletId = await rig.wallet(1000n)
  const processes = [await rig.process(), await rig.process()]
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      reserveFunds(on(processes[i % 2]!), reservation(walletId, 101n)),
    ),
  )
  assert.equal(outcomes.filter((outcome) => outcome === 'reserved').length, 9)
  assert.equal(await reservedFunds(on(rig), walletId), 909n)
})

test('a reservation is found again, and asked for more it is an error', async () => {
  const walletId = await rig.wallet(1000n)
  const first = reservation(walletId, 600n)
  const again = await Promise.all([1, 2, 3].map(() => reserveFunds(on(rig), first)))
  assert.deepEqual(new Set(again), new Set(['reserved']))
  assert.equal(await reservedFunds(on(rig), walletId), 600n)
  await assert.rejects(reserveFunds(on(rig), { ...first, amount: 601n }), /has reserved 600/)
  const other = await rig.wallet(1000n)
  await assert.rejects(reserveFunds(on(rig), { ...first, orgId: other, workspaceId: other }))
  assert.equal(
    await reserveFunds(on(rig), { ...first, purpose: 'scoring', amount: 400n }),
    'reserved',
  )
})

test('a charge is made once and frees the rest; releasing changes nothing after it', async () => {
  const walletId = await rig.wallet(1000n)
  const of = reservation(walletId, 600n)
  await reserveFunds(on(rig), of)
  await assert.rejects(
    chargeReservation(on(rig), { ...of, amount: 601n, detail: {} }),
    /has reserved 600, and not 601/,
  )
  const charges = [250n, 300n, 350n].map((amount) =>
    chargeReservation(on(rig), { ...of, amount, detail: {} }),
  )
  const [charged, ...others] = await Promise.all(charges)
  assert.deepEqual(others, [charged, charged])
  await releaseReservation(on(rig), of)
  assert.equal(await reserveFunds(on(rig), of), 'ended')
  assert.deepEqual(await kinds(walletId), [['training', -charged!]])
  assert.deepEqual(await readCharges(on(rig), of.reference), {
    training: charged,
    serving: 0n,
    scoring: 0n,
    retest: 0n,
  })
  assert.equal(await reservedFunds(on(rig), walletId), 0n)
  assert.equal((await rig.read(walletId)).balance, 1000n - charged!)
})

test('work that cost nothing has no entry, and neither has work that was released', async () => {
  const walletId = await rig.wallet(1000n)
  const [free, released] = [reservation(walletId, 500n), reservation(walletId, 500n)]
  for (const each of [free, released]) await reserveFunds(on(rig), each)
  assert.equal(await chargeReservation(on(rig), { ...free, amount: 0n, detail: {} }), 0n)
  await releaseReservation(on(rig), released)
  assert.equal(await chargeReservation(on(rig), { ...released, amount: 5n, detail: {} }), 0n)
  assert.deepEqual(await kinds(walletId), [])
  assert.equal((await rig.read(walletId)).balance, 1000n)
})

test('what was never reserved cannot be charged, and releasing it does nothing', async () => {
  const of = reservation(await rig.wallet(1000n), 5n)
  await assert.rejects(chargeReservation(on(rig), { ...of, detail: {} }), /nothing was reserved/)
  await releaseReservation(on(rig), of)
})

test('what storing samples costs is not taken from what is reserved', async () => {
  const walletId = await rig.wallet(1000n)
  await reserveFunds(on(rig), reservation(walletId, 900n))
  const take = (amount: bigint) =>
    rig.storage.db.transaction().execute((tx) =>
      takeFunds(tx, {
        entryId: newId(new Date()),
        walletId,
        kind: 'storage',
        amount,
        workspaceId: walletId,
        idempotencyKey: newId(new Date()),
        detail: {},
        at: new Date(),
      }),
    )
  assert.deepEqual([await take(101n), await take(100n)], [false, true])
})

test('the audit sees what is reserved without a reservation, and charges that ledger and reservation tell differently', async () => {
  const { db } = rig.storage
  assert.deepEqual((await auditLedger(db)).problems, [])
  const walletId = await rig.wallet(1000n)
  const of = reservation(walletId, 500n)
  await reserveFunds(on(rig), of)
  await chargeReservation(on(rig), { ...of, amount: 300n, detail: {} })
  await sql`update wallet set reserved = 1 where id = ${walletId}`.execute(db)
  await sql`update reservation set charged = 200 where reference = ${of.reference}`.execute(db)
  const { id } = await db
    .selectFrom('reservation')
    .select('id')
    .where('reference', '=', of.reference)
    .executeTakeFirstOrThrow()
  assert.deepEqual((await auditLedger(db)).problems.toSorted(), [
    `wallet ${walletId}: 0.000000000001 USD are marked as reserved but its reservations add up to 0`,
    `wallet ${walletId}: an entry of the kind training has no reservation that was charged the same`,
    `wallet ${walletId}: the charge of reservation ${id} (training) has no entry that says the same`,
  ])
})
