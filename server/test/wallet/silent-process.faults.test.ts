// What a process has leased that does not answer any more is neither spent nor free: whoever needs it is told to wait, and not to pay.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '#server/lib/id.ts'
import { takeBackExpiredLeases } from '#server/task/take-back-leases.ts'
import { FundsOutOfReach, InsufficientFunds } from '#server/wallet/lacking-funds.ts'
import { readHeldElsewhere, takeBackLeases } from '#server/wallet/wallet-store.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { scriptedCatalog, scriptedUpstream } from '#test/support/scripted-upstream.ts'
import { testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { chargedCall, request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
})
after(() => rig.close())

test('a call that a silent process leaves no room for is told so; one that nothing could pay for is not', async () => {
  const walletId = await rig.wallet(1000n)
  const [dead, other] = [await rig.process(), await rig.process()]
  await dead.wallets.hold(request(walletId, 900n))
  await dead.storage.close()
  await assert.rejects(
    async () => other.wallets.hold(request(walletId, 1000n)),
    (error) => error instanceof FundsOutOfReach && error.seconds > 0 && error.seconds <= 30,
  )
  await assert.rejects(async () => other.wallets.hold(request(walletId, 1001n)), InsufficientFunds)
  const hold = await other.wallets.hold(request(walletId, 90n))
  hold.void()
})

test('so is every call where several processes are left, whichever of them got what is free', async () => {
  const walletId = await rig.wallet(1000n)
  const dead = await rig.process()
  const left = [await rig.process(), await rig.process(), await rig.process()]
  await dead.wallets.hold(request(walletId, 900n))
  await dead.storage.close()
  const asked = left.map(async ({ wallets }) => wallets.hold(request(walletId, 950n)))
  for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
    assert.ok(reason instanceof FundsOutOfReach, String(reason))
  }
})

test('a call that nothing could pay for is told so also where the lease runs out while it asks', async () => {
  const walletId = await rig.wallet(1000n)
  const [dead, other] = [await rig.process(), await rig.process()]
  await dead.wallets.hold(request(walletId, 900n))
  await dead.storage.close()
  const refused = assert.rejects(
    async () => other.wallets.hold(request(walletId, 1500n)),
    InsufficientFunds,
  )
  await until(async () => (await rig.read(walletId)).leased >= 999n)
  await sql`
    update wallet_lease set expires_at = now() where process_id = ${dead.wallets.processId}
  `.execute(rig.storage.db)
  await takeBackLeases(rig.storage, false)
  await refused
})

test('a process that has nothing to spare says so, and then the wallet does not cover the call', async () => {
  const walletId = await rig.wallet(1000n)
  const [busy, other] = [await rig.process(), await rig.process()]
  await busy.wallets.hold(request(walletId, 900n))
  await assert.rejects(async () => other.wallets.hold(request(walletId, 101n)), InsufficientFunds)
  const held = await readHeldElsewhere(rig.storage.db, walletId, other.wallets.processId)
  assert.equal(held, 900n, 'whoever was asked has also said what it holds')
})

test('what another process has charged since it last said what it holds is not held any more', async () => {
  const walletId = await rig.wallet(1000n)
  const [busy, other] = [await rig.process(), await rig.process()]
  const hold = await busy.wallets.hold(request(walletId, 900n))
  await busy.wallets.renew()
  await hold.post(900n, chargedCall)
  await busy.wallets.chargesWritten()
  const { balance, leased } = await rig.read(walletId)
  assert.equal(balance, 100n)
  const held = await readHeldElsewhere(rig.storage.db, walletId, other.wallets.processId)
  assert.ok(held <= leased && held <= balance, `${held} of ${leased}`)
})

test('over HTTP it is a 503 that says when to try again, and then the call is answered', async (t) => {
  const upstream = await scriptedUpstream()
  const pricing = { input: 0, output: 1000 }
  const hone = await testHone({ catalog: scriptedCatalog(upstream.baseUrl, pricing), tasks: [] })
  t.after(async () => {
    await hone.stop()
    await upstream.close()
  })
  upstream.open()
  const call = (path: string) =>
    hone.call('POST', path, {
      bearer: hone.owner.key,
      body: { model: 'gated', max_tokens: 1000, messages: [{ role: 'user', content: 'Hi' }] },
    })
  await inDatabase(
    hone.databaseUrl,
    `with w as (update wallet set leased = balance returning id, leased)
     insert into wallet_lease (id, wallet_id, process_id, amount, held, expires_at, step, last_granted)
     select '${newId(new Date())}', id, '${newId(new Date())}', leased, 0, now() + interval '30 s', 1, leased from w`,
  )
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    const answer = await call(path)
    assert.equal(answer.status, 503, answer.text)
    assert.match(answer.text, /held by a server that stopped answering/)
    const seconds = Number(answer.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 35, String(seconds))
  }
  assert.equal(upstream.calls.length, 0)
  await inDatabase(hone.databaseUrl, `update wallet_lease set expires_at = now()`)
  await takeBackExpiredLeases.run(hone.app)
  const answer = await call('/v1/chat/completions')
  assert.equal(answer.status, 200, answer.text)
})

test('a process that starts beside another takes nothing from it that it has leased', async (t) => {
  const upstream = await scriptedUpstream()
  const catalog = scriptedCatalog(upstream.baseUrl)
  const first = await testHone({ catalog, tasks: [] })
  t.after(async () => {
    await first.stop()
    await upstream.close()
  })
  const body = { model: 'plain', messages: [{ role: 'user', content: 'Hi' }] }
  const call = () => first.call('POST', '/v1/chat/completions', { bearer: first.owner.key, body })
  assert.equal((await call()).status, 200)
  const leases = () =>
    inDatabase(first.databaseUrl, 'select id, process_id from wallet_lease where amount > 0')
  const before = await leases()
  assert.equal(before.length, 1)
  const second = await testHone({ catalog, databaseUrl: first.databaseUrl, tasks: [] })
  t.after(() => second.stop())
  assert.deepEqual(await leases(), before)
  assert.equal((await call()).status, 200)
})
