// Groups of charges that cannot be written as they are: some are in the ledger already, some have lost their lease. Every other
// charge of the group is posted, and none twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '#server/lib/id.ts'
import type { Charge } from '#server/wallet/charge.ts'
import { postCharges, storePriceCards } from '#server/wallet/charge-store.ts'
import { enlargeLease } from '#server/wallet/wallet-store.ts'
import { chargedCall, request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
  await storePriceCards(rig.storage, [chargedCall.card])
})
after(() => rig.close())

const at = new Date()

/** A lease of its own, and charges inside it. */
async function leased(walletId: string, amount: bigint): Promise<(cost: bigint) => Charge> {
  const id = newId(at)
  const lease = { id, step: 1, walletId, processId: newId(at), lifetimeMs: 60_000 }
  assert.equal((await enlargeLease(rig.storage, lease, amount, 0n)).granted, amount)
  return (cost) => ({ ...request(walletId, cost), leaseId: id, amount: cost, call: chargedCall })
}

const post = (charges: Charge[]) => postCharges(rig.storage, charges, at)

test('charges of several wallets and leases are posted together, each from its own', async () => {
  const [one, two] = [await rig.wallet(1000n), await rig.wallet(1000n)]
  const [first, second, third] = [
    await leased(one, 300n),
    await leased(one, 200n),
    await leased(two, 400n),
  ]
  assert.equal((await post([first(100n), third(5n), second(20n), first(7n), third(50n)])).size, 0)
  const seen = { one: await rig.read(one), two: await rig.read(two) }
  assert.deepEqual(seen.one, { balance: 873n, entries: 873n, leased: 373n, charges: 3 })
  assert.deepEqual(seen.two, { balance: 945n, entries: 945n, leased: 345n, charges: 2 })
})

test('a group with a charge that is in the ledger already posts the others, once', async () => {
  const wallet = await rig.wallet(1000n)
  const charge = await leased(wallet, 500n)
  const group = [charge(10n), charge(20n), charge(30n)]
  assert.equal((await post(group.slice(1, 2))).size, 0)
  assert.equal((await post(group)).size, 0)
  assert.equal((await post(group)).size, 0)
  const seen = await rig.read(wallet)
  assert.deepEqual(seen, { balance: 940n, entries: 940n, leased: 440n, charges: 3 })
})

test('a group with a charge whose lease is gone takes that one from what is free, or not at all', async () => {
  const wallet = await rig.wallet(1000n)
  const charge = await leased(wallet, 900n)
  const late = { ...charge(60n), leaseId: newId(at) }
  const later = { ...charge(60n), leaseId: newId(at) }
  assert.deepEqual([...(await post([charge(10n), late, later, charge(30n)]))], [later.requestId])
  const seen = await rig.read(wallet)
  assert.deepEqual(seen, { balance: 900n, entries: 900n, leased: 860n, charges: 3 })
})

test('what was paid for can be read back, whichever way it was posted', async () => {
  const wallet = await rig.wallet(1000n)
  const charge = await leased(wallet, 500n)
  const plain = charge(1n)
  await post([plain])
  await post([plain, charge(1n)])
  const { rows } = await sql<Record<string, unknown>>`
    select model, route, client_request_id, input_tokens, output_tokens, thinking_tokens, latency_ms,
      first_token_ms, replace(price_card::text, '-', '') as card
    from ledger_entry where wallet_id = ${wallet} and kind = 'charge'`.execute(rig.storage.db)
  const { model, route, clientRequestId, latencyMs, firstTokenMs, card } = chargedCall
  const told = {
    model,
    route,
    client_request_id: clientRequestId,
    input_tokens: '7',
    output_tokens: '3',
    thinking_tokens: '0',
    latency_ms: latencyMs,
    first_token_ms: firstTokenMs,
    card: card.id,
  }
  assert.deepEqual(rows, [told, told])
})
