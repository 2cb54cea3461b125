// One hold between its beginning and its end: what it leaves in the lease, what it hands on to be charged, and its place among the
// answers that go out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Charge } from '#server/wallet/charge.ts'
import { DeliveryGate } from '#server/wallet/delivery-gate.ts'
import { type Hold, type HoldPorts, OpenHold } from '#server/wallet/hold.ts'
import { Lease } from '#server/wallet/lease.ts'
import type { ChargeSettler } from '#server/wallet/settle-charges.ts'
import { chargedCall, request } from '#test/support/wallet-rig.ts'

type Rig = {
  lease: Lease
  gate: DeliveryGate
  /** Charges on their way, each until it is answered. */
  charges: { charge: Charge; land: (written: boolean) => void }[]
  hurried: () => number
  hold: (amount: bigint) => Hold
}

/** In a lease of a thousand. Beyond its hold a call finds up to `more`. */
function holdRig({ more = 0n, unsafe = (): number => 0 } = {}): Rig {
  const lease = new Lease('lease', 'wallet')
  lease.granted(1000n)
  const gate = new DeliveryGate({ unsafe, pending: unsafe })
  const charges: Rig['charges'] = []
  let hurried = 0
  const settler = {
    hurry: () => void (hurried += 1),
    settle: (charge: Charge) => new Promise<boolean>((land) => void charges.push({ charge, land })),
  } as unknown as ChargeSettler
  const holdMore: HoldPorts['holdMore'] = async (_, { amount }, cost) => {
    await nextTurn()
    const held = cost - amount < more ? cost - amount : more
    lease.hold(held)
    return held
  }
  return {
    lease,
    gate,
    charges,
    hurried: () => hurried,
    hold: (amount) => {
      lease.hold(amount)
      return new OpenHold({ gate, settler, holdMore }, lease, request('wallet', amount))
    },
  }
}

for (const [cost, more, charged] of [
  [1n, 0n, 1n],
  [99n, 0n, 99n],
  [100n, 0n, 100n],
  [101n, 50n, 101n],
  [150n, 50n, 150n],
  [151n, 50n, 150n],
  [151n, 0n, 100n],
] as const) {
  test(`of a hold of 100 that costs ${cost} and finds ${more} more, ${charged} are charged and the rest is free`, async () => {
    const { lease, charges, hold } = holdRig({ more })
    const posted = hold(100n).post(cost, chargedCall)
    while (charges.length === 0) await nextTurn()
    assert.equal(charges[0]?.charge.amount, charged)
    assert.equal(lease.held, 0n)
    assert.equal(lease.slack, 1000n - charged, 'a charge on its way is not free')
    assert.equal(lease.idle, false)
    charges[0]?.land(true)
    assert.equal(await posted, true)
    assert.equal(lease.slack, 1000n - charged, 'nor is one that has landed')
    assert.equal(lease.idle, true)
  })
}

test('one that costs nothing is charged nothing, and is over', async () => {
  const { lease, charges, gate, hold } = holdRig()
  const free = hold(100n)
  assert.equal(free.mayDeliver(), undefined)
  assert.equal(await free.post(0n, chargedCall), false)
  assert.deepEqual(charges, [])
  assert.equal(lease.slack, 1000n)
  assert.equal(gate.mayDeliver(), undefined, 'its place is free')
  await assert.rejects(free.post(1n, chargedCall), /posted or voided before/)
})

test('one that is voided is free at once, once', async () => {
  const { lease, charges, hold } = holdRig()
  const one = hold(100n)
  const other = hold(200n)
  one.void()
  one.void()
  assert.deepEqual([lease.held, lease.slack], [200n, 800n])
  await assert.rejects(one.post(1n, chargedCall), /posted or voided before/)
  const posted = other.post(200n, chargedCall)
  other.void()
  charges[0]?.land(true)
  assert.equal(await posted, true)
  assert.equal(lease.slack, 800n)
})

for (const end of ['post', 'void'] as const) {
  test(`an answer has one place, which is free after its ${end}`, () => {
    const { gate, hold } = holdRig()
    const one = hold(100n)
    for (let i = 0; i < 3; i++) assert.equal(one.mayDeliver(), undefined)
    const next = gate.mayDeliver()
    assert.ok(next, 'it was the only one')
    if (end === 'post') void one.post(1n, chargedCall)
    else one.void()
    assert.equal(gate.someoneWaits, false)
    assert.equal(one.mayDeliver(), undefined, 'what is over needs no place')
    gate.left()
    assert.equal(gate.mayDeliver(), undefined)
  })

  test(`an answer that never asked for a place frees none with its ${end}`, (t) => {
    // Nobody waits for who waits here.
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { gate, hold } = holdRig()
    const other = hold(100n)
    const one = hold(100n)
    for (let i = 0; i < 2; i++) assert.equal(gate.mayDeliver(), undefined)
    if (end === 'post') void one.post(1n, chargedCall)
    else one.void()
    assert.ok(other.mayDeliver(), 'both places are taken')
  })
}

test('an answer that has to wait has the charges before it hurried, and its place is free if it is voided meanwhile', async () => {
  let unsafe = 1
  const { gate, hold, hurried } = holdRig({ unsafe: () => unsafe })
  const one = hold(100n)
  const turn = one.mayDeliver()
  assert.ok(turn)
  assert.equal(hurried(), 1)
  one.void()
  unsafe = 0
  gate.chargesSafe()
  await turn
  const next = hold(100n)
  assert.equal(next.mayDeliver(), undefined)
  assert.equal(hurried(), 1)
})
