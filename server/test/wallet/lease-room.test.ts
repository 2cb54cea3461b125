// A lease gets more room before it is used up, and more of it the faster it is; where funds are short it asks for no more
// than calls need.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Wallets } from '#server/wallet/wallets.ts'
import { request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'
import { until } from '#test/support/until.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
})
after(() => rig.close())

/** So that it does not matter how fast this machine is. */
const standingClock = { now: () => new Date(), monotonicMs: () => 1000 }

/** How many of the holds had to wait for the database. */
async function hold(wallets: Wallets, walletId: string, count: number): Promise<number> {
  let waited = 0
  for (let n = 0; n < count; n++) {
    let isHeld = false
    const held = wallets.hold(request(walletId, 10n)).then(() => (isHeld = true))
    // Comes after every promise that is resolved without the database.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    if (!isHeld) waited += 1
    await held
  }
  return waited
}

test('a busy one waits for its first lease only, and each time has twice the room', async () => {
  const walletId = await rig.wallet(1_000_000n)
  const { wallets } = await rig.process({}, standingClock)
  const leased = async (): Promise<bigint> => (await rig.read(walletId)).leased
  assert.equal(await hold(wallets, walletId, 1), 1)
  assert.equal(await leased(), 650n)
  assert.equal(await hold(wallets, walletId, 32), 0)
  assert.equal(await leased(), 650n, 'half of the room is there')
  assert.equal(await hold(wallets, walletId, 1), 0)
  await until(async () => (await leased()) === 650n + 1280n)
  // The database knows it a moment before the process does; what comes next in the lease waits for both.
  await wallets.renew()
  assert.equal(await hold(wallets, walletId, 30 + 66), 0)
  await until(async () => (await leased()) === 650n + 1280n + 2560n)
})

test('one with little asks for what a call needs', async () => {
  const walletId = await rig.wallet(100n)
  const { wallets } = await rig.process()
  assert.equal(await hold(wallets, walletId, 10), 10)
  await assert.rejects(hold(wallets, walletId, 1), /does not cover/)
})
