// When a process gives its slice of a wallet back: not while a call holds something in it, however long the call takes, and soon after
// nobody does any more; and what others see of it meanwhile.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readHeldElsewhere } from '#server/wallet/wallet-store.ts'
import { until } from '#test/support/until.ts'
import { chargedCall, request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
})
after(() => rig.close())

/** Quiet for longer than this it is given back. */
const quietMs = 10_000
const leaseMs = 3 * quietMs

let nowMs = 1_000_000
const clock = { now: () => new Date(), monotonicMs: () => nowMs }

const leased = async (walletId: string): Promise<bigint> => (await rig.read(walletId)).leased

test('a call that takes an hour keeps what it holds, and is charged from it', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets, unpaid } = await rig.process({ leaseMs }, clock)
  const other = await rig.process({ leaseMs }, clock)
  const hold = await wallets.hold(request(walletId, 400n))
  for (let i = 0; i < 3; i++) {
    nowMs += 20 * 60_000
    await wallets.renew()
    assert.equal(wallets.held(walletId), 400n)
  }
  await assert.rejects(
    async () => other.wallets.hold(request(walletId, 601n)),
    /does not cover/,
    'what is held here is not free there',
  )
  await other.wallets.hold(request(walletId, 600n))
  assert.equal(await hold.post(400n, chargedCall), true)
  assert.deepEqual(unpaid, [])
  assert.equal((await rig.read(walletId)).balance, 600n)
})

test('a slice that nobody has used for a while is given back, and taken anew by the next call', async () => {
  const walletId = await rig.wallet(1_000_000n)
  const { wallets } = await rig.process({ leaseMs }, clock)
  for (const end of ['void', 'post'] as const) {
    const hold = await wallets.hold(request(walletId, 10n))
    if (end === 'void') hold.void()
    else await hold.post(10n, chargedCall)
    nowMs += quietMs
    await wallets.renew()
    assert.ok((await leased(walletId)) > 0n, 'it may be wanted again')
    nowMs += 1
    await wallets.renew()
    assert.equal(await leased(walletId), 0n)
  }
})

test('a slice that is on its way is not given back, however long it takes to come', async (t) => {
  const walletId = await rig.wallet(1000n)
  const { wallets, storage } = await rig.process({ leaseMs }, clock)
  const realQuery = storage.pool.query.bind(storage.pool)
  const slow = Promise.withResolvers<void>()
  t.mock.method(storage.pool, 'query', async (...args: Parameters<typeof realQuery>) => {
    const rows = await realQuery(...args)
    if (args[0] === 'enlarge_lease') await slow.promise
    return rows
  })
  const holding = wallets.hold(request(walletId, 400n))
  await until(async () => (await leased(walletId)) >= 400n)
  nowMs += 2 * quietMs
  const renewed = wallets.renew()
  // A slice that was given back would be gone by then.
  await Promise.race([renewed, new Promise((resolve) => setTimeout(resolve, 200))])
  slow.resolve()
  await holding
  await renewed
  assert.equal(wallets.held(walletId), 400n)
  assert.ok((await leased(walletId)) >= 400n, 'what is held here is not free elsewhere')
})

test('a slice in use is kept by itself, beyond the time it is lent for', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets } = await rig.process({ leaseMs: 600 })
  await wallets.hold(request(walletId, 400n))
  const expires = async (): Promise<Date | undefined> => {
    const rows = rig.storage.db.selectFrom('wallet_lease').where('wallet_id', '=', walletId)
    return (await rows.select('expires_at').executeTakeFirst())?.expires_at
  }
  const first = (await expires())!
  await until(async () => ((await expires()) ?? first) > first, 10_000)
  assert.ok((await leased(walletId)) >= 400n)
})

test('a process that ends gives its slice back at once', async () => {
  const walletId = await rig.wallet(1_000_000n)
  const { wallets } = await rig.process({ leaseMs }, clock)
  const hold = await wallets.hold(request(walletId, 10n))
  await hold.post(10n, chargedCall)
  assert.ok((await leased(walletId)) > 0n)
  await wallets.close()
  assert.deepEqual(await rig.read(walletId), {
    balance: 999_990n,
    entries: 999_990n,
    leased: 0n,
    charges: 1,
  })
})

test('what calls of one process hold is shown by the others, once', async () => {
  const [walletId, another] = [await rig.wallet(1_000_000n), await rig.wallet(1_000_000n)]
  const one = (await rig.process({ leaseMs }, clock)).wallets
  const two = (await rig.process({ leaseMs }, clock)).wallets
  const elsewhere = (process: typeof one, wallet: string): Promise<bigint> =>
    readHeldElsewhere(rig.storage.db, wallet, process.processId)
  const hold = await one.hold(request(walletId, 40n))
  await one.hold(request(walletId, 2n))
  await two.hold(request(walletId, 5n))
  await one.renew()
  await two.renew()
  assert.deepEqual([one.held(walletId), await elsewhere(one, walletId)], [42n, 5n])
  assert.deepEqual([two.held(walletId), await elsewhere(two, walletId)], [5n, 42n])
  assert.equal(await elsewhere(two, another), 0n)
  hold.void()
  await one.renew()
  assert.deepEqual([one.held(walletId), await elsewhere(two, walletId)], [2n, 2n])
})
