// A call that turns out dearer than the most it was thought to cost: it is charged in full where funds are at hand, and
// never takes a wallet below zero.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { chargedCall, request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
})
after(() => rig.close())

test('the whole cost is charged where the wallet has it', async () => {
  const walletId = await rig.wallet(1_000_000n)
  const { wallets, underpaid } = await rig.process()
  const hold = await wallets.hold(request(walletId, 600n))
  await hold.post(1700n, chargedCall)
  const seen = await rig.read(walletId)
  assert.equal(seen.balance, 1_000_000n - 1700n)
  assert.equal(seen.entries, seen.balance)
  assert.deepEqual(underpaid, [])
  assert.equal(wallets.held(walletId), 0n)
})

for (const beyond of [100n, 320n, 639n, 640n, 641n, 1000n, 1279n, 1281n, 5000n, 900_000n]) {
  test(`${beyond} beyond a hold are charged, whatever part of it the lease has at hand`, async () => {
    const walletId = await rig.wallet(1_000_000n)
    const { wallets, underpaid } = await rig.process()
    const hold = await wallets.hold(request(walletId, 10n))
    assert.equal((await rig.read(walletId)).leased, 650n)
    const posted = hold.post(10n + beyond, chargedCall)
    await wallets.chargesWritten()
    const seen = await rig.read(walletId)
    assert.equal(seen.balance, 1_000_000n - 10n - beyond, 'whoever asks meanwhile sees the charge')
    assert.equal(seen.entries, seen.balance)
    assert.equal(await posted, true)
    assert.deepEqual(underpaid, [])
    assert.equal(wallets.held(walletId), 0n)
  })
}

test('a process that ends waits for the funds of a call that was dearer', async () => {
  const walletId = await rig.wallet(1_000_000n)
  const { wallets } = await rig.process()
  const hold = await wallets.hold(request(walletId, 10n))
  const posted = hold.post(5000n, chargedCall)
  await wallets.close()
  assert.equal(await posted, true)
  assert.equal((await rig.read(walletId)).balance, 1_000_000n - 5000n)
})

test('what nobody can pay is reported, and the wallet ends at zero', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets, underpaid } = await rig.process()
  const hold = await wallets.hold(request(walletId, 900n))
  await hold.post(1700n, chargedCall)
  const seen = await rig.read(walletId)
  assert.equal(seen.balance, 0n)
  assert.equal(seen.entries, 0n)
  assert.deepEqual(underpaid, [700n])
  assert.deepEqual((await auditLedger(rig.storage.db)).problems, [])
})

test('what another call holds is not taken', async () => {
  const walletId = await rig.wallet(1000n)
  const { wallets, underpaid } = await rig.process()
  const dear = await wallets.hold(request(walletId, 300n))
  const other = await wallets.hold(request(walletId, 600n))
  await dear.post(800n, chargedCall)
  assert.deepEqual(underpaid, [400n])
  await other.post(600n, chargedCall)
  assert.equal((await rig.read(walletId)).balance, 0n)
})
