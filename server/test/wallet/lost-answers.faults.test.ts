// Leases whose changes the database made and could not say so: what was granted is neither lost nor granted twice, and what
// was given back is given back once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import type { Hold } from '#server/wallet/hold.ts'
import { endLeases, enlargeLease, returnLease } from '#server/wallet/wallet-store.ts'
import { InsufficientFunds } from '#server/wallet/lacking-funds.ts'
import type { Wallets } from '#server/wallet/wallets.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { chargedCall, request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'
import { until } from '#test/support/until.ts'

let database: TestDatabase
let proxy: DatabaseProxy
/** Past the proxy, to see what is really there. */
let rig: WalletRig
/** Its processes reach the database through the proxy. */
let behind: WalletRig

before(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  rig = await walletRig(database.url)
  behind = await walletRig(proxy.url)
})
after(async () => {
  await behind.close()
  await rig.close()
  await proxy.close()
})

async function loses(statement: string, act: () => unknown): Promise<void> {
  const lost = proxy.repliesLost
  proxy.loseReplyTo(statement)
  await assert.rejects(async () => act(), StorageUnavailable)
  assert.equal(proxy.repliesLost, lost + 1)
}

/** All that is left can be held, and not a picodollar more. */
async function holdsAll(wallets: Wallets, walletId: string, amount: bigint): Promise<void> {
  const hold = await wallets.hold(request(walletId, amount))
  await assert.rejects(async () => wallets.hold(request(walletId, 1n)), InsufficientFunds)
  hold.void()
}

/** Another process has a fraction of a second to give back what it does not use, which may be too short on a busy machine. */
async function holdEventually(wallets: Wallets, walletId: string, amount: bigint): Promise<Hold> {
  for (;;) {
    try {
      return await wallets.hold(request(walletId, amount))
    } catch (error) {
      if (!(error instanceof InsufficientFunds)) throw error
    }
  }
}

async function adds(walletId: string, balance: bigint, leased: bigint): Promise<void> {
  const seen = await rig.read(walletId)
  assert.deepEqual([seen.balance, seen.entries, seen.leased], [balance, balance, leased])
  assert.deepEqual((await auditLedger(rig.storage.db)).problems, [])
}

test('a first lease whose answer was lost is the lease that the next call holds in', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets } = await behind.process()
  await loses('enlarge_lease', () => wallets.hold(request(walletId, 1000n)))
  await adds(walletId, 1000n, 1000n)
  await holdsAll(wallets, walletId, 1000n)
  await wallets.close()
  await adds(walletId, 1000n, 0n)
})

test('an enlargement whose answer was lost is not granted again, and open holds stay what they are', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets, unpaid } = await behind.process()
  const open = await wallets.hold(request(walletId, 100n))
  const before = (await rig.read(walletId)).leased
  await loses('enlarge_lease', () => wallets.hold(request(walletId, 900n)))
  await adds(walletId, 1000n, 1000n)
  assert.ok(before < 1000n)
  const second = await wallets.hold(request(walletId, 900n))
  await open.post(60n, chargedCall)
  await second.post(900n, chargedCall)
  await holdsAll(wallets, walletId, 40n)
  assert.deepEqual(unpaid, [])
  await wallets.close()
  await adds(walletId, 40n, 0n)
})

test('what a refused call was granted comes back although nobody asks again', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets } = await behind.process()
  const other = await rig.process()
  await loses('enlarge_lease', () => wallets.hold(request(walletId, 1000n)))
  // As the timer does.
  await wallets.renew()
  await adds(walletId, 1000n, 0n)
  await holdsAll(other.wallets, walletId, 1000n)
})

test('a call that the wallet does not cover leaves no funds with the process that refused it', async () => {
  const walletId = await rig.wallet(1000n)
  const [one, two] = [await rig.process(), await rig.process()]
  const open = await one.wallets.hold(request(walletId, 10n))
  await assert.rejects(async () => one.wallets.hold(request(walletId, 5000n)), InsufficientFunds)
  // Its refusal does not wait for that.
  await until(async () => (await rig.read(walletId)).leased === 10n)
  await adds(walletId, 1000n, 10n)
  await holdsAll(two.wallets, walletId, 990n)
  await open.post(10n, chargedCall)
})

test('a recall whose answer was lost gives back once, and the process that gave back still adds up', async () => {
  const walletId = await rig.wallet(6400n)
  const giver = await behind.process()
  const open = await giver.wallets.hold(request(walletId, 64n))
  const { leased } = await rig.read(walletId)
  assert.ok(leased > 64n, 'it has spare room')
  const lost = proxy.repliesLost
  proxy.loseReplyTo('return_lease')
  const taker = await rig.process()
  const rest = await holdEventually(taker.wallets, walletId, 6336n)
  assert.equal(proxy.repliesLost, lost + 1)
  await adds(walletId, 6400n, 6400n)
  rest.void()
  await taker.wallets.close()
  // Its next change repeats the one it never heard of.
  const more = await holdEventually(giver.wallets, walletId, 6336n)
  await adds(walletId, 6400n, 6400n)
  more.void()
  await open.post(64n, chargedCall)
  await giver.wallets.close()
  await adds(walletId, 6336n, 0n)
})

test('a change that was held up and comes after its repetition does nothing', async () => {
  const walletId = await rig.wallet(1000n)
  const { storage } = rig
  const lease = {
    id: newId(new Date()),
    walletId,
    processId: newId(new Date()),
    lifetimeMs: 60_000,
  }
  const enlarge = async (step: number, wanted: bigint) =>
    (await enlargeLease(storage, { ...lease, step }, wanted, 0n)).granted
  assert.equal(await enlarge(1, 100n), 100n)
  assert.equal(await enlarge(1, 100n), 100n)
  await adds(walletId, 1000n, 100n)
  assert.equal(await enlarge(2, 50n), 50n)
  await enlarge(1, 100n)
  await adds(walletId, 1000n, 150n)
  for (const step of [3, 3, 2]) await returnLease(storage, { ...lease, step }, 30n)
  await adds(walletId, 1000n, 120n)
  await enlarge(2, 50n)
  await adds(walletId, 1000n, 120n)
  await endLeases(storage, [lease.id, newId(new Date())])
  await endLeases(storage, [lease.id])
  await adds(walletId, 1000n, 0n)
  assert.ok((await enlargeLease(storage, { ...lease, step: 4 }, 10n, 0n)).lost)
  await returnLease(storage, { ...lease, step: 5 }, 10n)
  await adds(walletId, 1000n, 0n)
})

test('the end of a process gives all of its leases back at once, and waits once where it cannot', async () => {
  const { wallets, storage } = await rig.process()
  const ids = await Promise.all(Array.from({ length: 5 }, () => rig.wallet(1000n)))
  for (const id of ids) (await wallets.hold(request(id, 10n))).void()
  const { pool } = storage
  const query = pool.query.bind(pool)
  const asked: string[] = []
  pool.query = (name, ...rest) => {
    asked.push(name)
    return query(name, ...rest)
  }
  await wallets.close()
  assert.deepEqual(asked, ['end_leases'])
  for (const id of ids) await adds(id, 1000n, 0n)
})

test('any changes with any answers lost end with every picodollar where it belongs', async () => {
  const walletId = await rig.wallet(10_000n)
  const processes = [await behind.process(), await behind.process()]
  const random = seeded(11)
  let expected = 10_000n
  for (let round = 0; round < 60; round++) {
    const { wallets } = processes[round % 2]!
    const statement = ['enlarge_lease', 'return_lease', 'end_leases', 'post_charges'][round % 4]!
    if (random() < 0.5) proxy.loseReplyTo(statement)
    const calls = Array.from({ length: 4 }, async () => {
      const amount = BigInt(1 + Math.floor(random() * 3000))
      const cost = random() < 0.5 ? 0n : (amount * BigInt(Math.floor(random() * 5))) / 100n
      try {
        const hold = await wallets.hold(request(walletId, amount))
        if (cost > 0n && (await hold.post(cost, chargedCall))) expected -= cost
        else hold.void()
      } catch (error) {
        assert.ok(error instanceof InsufficientFunds || error instanceof StorageUnavailable)
      }
    })
    await Promise.all(calls)
    const { balance, entries, leased } = await rig.read(walletId)
    assert.deepEqual([balance, entries], [expected, expected])
    assert.ok(leased <= balance)
  }
  proxy.loseReplyTo()
  for (const { wallets, unpaid } of processes) {
    await wallets.close()
    assert.deepEqual(unpaid, [])
  }
  await adds(walletId, expected, 0n)
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
