// When charges are written into the ledger, and how they are tried again while the database is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import type { Storage } from '#server/storage/open-storage.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import type { ChargeJournal } from '#server/wallet/charge-journal.ts'
import { DeliveryGate } from '#server/wallet/delivery-gate.ts'
import { ChargeSettler } from '#server/wallet/settle-charges.ts'
import { chargedCall, request } from '#test/support/wallet-rig.ts'

test('D2: however long the database is away, a charge is tried again every second and posted when it is back', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let tries = 0
  let away = true
  const query = () => {
    tries += 1
    return away ? Promise.reject(new StorageUnavailable(new Error('away'))) : Promise.resolve([])
  }
  const gate = new DeliveryGate({ unsafe: () => 0, pending: () => 0 })
  const fail = () => assert.fail('it is only away')
  const report = { unpaid: fail, underpaid: fail, refused: fail, left: fail }
  const storage = { pool: { query } } as unknown as Storage
  const settler = new ChargeSettler(storage, systemClock, gate, report, null)
  const leaseId = newId(new Date())
  const settled = settler.settle({
    ...request(newId(new Date()), 1n),
    leaseId,
    amount: 1n,
    call: chargedCall,
  })
  const second = async (): Promise<void> => {
    for (let ms = 0; ms < 1000; ms += 50) {
      t.mock.timers.tick(50)
      await nextTurn()
    }
  }
  for (let seconds = 0; seconds < 60; seconds++) await second()
  const before = tries
  for (let seconds = 0; seconds < 10; seconds++) await second()
  assert.ok(tries - before >= 9 && tries - before <= 11, `${tries - before} tries in 10 s`)
  assert.equal(settler.pending, 1)
  away = false
  await second()
  assert.equal(await settled, true)
  assert.equal(settler.pending, 0)
})

/** Every charge is in it at once. */
const journal = {
  append: (_: unknown, onPage: (page: object) => void) => onPage({}),
  settled: () => {},
} as unknown as ChargeJournal

function settlerOf(written: number[]): ChargeSettler {
  const query = (name: string, _text: string, values: unknown[]) => {
    const [requests] = (values as string[]).slice(5)
    if (name === 'post_charges') written.push(requests?.split(',').length ?? 0)
    return Promise.resolve([])
  }
  const gate = new DeliveryGate({ unsafe: () => 0, pending: () => 0 })
  const fail = () => assert.fail('nothing goes wrong')
  const report = { unpaid: fail, underpaid: fail, refused: fail, left: fail }
  const storage = { pool: { query } } as unknown as Storage
  return new ChargeSettler(storage, systemClock, gate, report, journal)
}

function settleMany(settler: ChargeSettler, count: number): void {
  const charge = {
    ...request(newId(new Date()), 1n),
    leaseId: newId(new Date()),
    call: chargedCall,
  }
  for (let i = 0; i < count; i++) {
    void settler.settle({ ...charge, requestId: newId(new Date()) })
  }
}

/** What is written after some turns in which no time passes. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await nextTurn()
}

for (const { charges, afterMs } of [
  { charges: 1, afterMs: 50 },
  { charges: 99, afterMs: 50 },
  { charges: 100, afterMs: 200 },
  { charges: 999, afterMs: 200 },
  { charges: 1000, afterMs: 0 },
]) {
  test(`${charges} charges that are in the journal are written after ${afterMs} ms, together`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const written: number[] = []
    settleMany(settlerOf(written), charges)
    await turns()
    for (let ms = 0; ms < afterMs; ms += 1) {
      assert.deepEqual(written, [], `after ${ms} ms`)
      t.mock.timers.tick(1)
      await turns()
    }
    assert.deepEqual(written, [charges])
  })
}

test('no more than a thousand charges are written at once, and the rest waits for company of its own', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const written: number[] = []
  settleMany(settlerOf(written), 1001)
  await turns()
  assert.deepEqual(written, [1000])
  t.mock.timers.tick(50)
  await turns()
  assert.deepEqual(written, [1000, 1])
})

for (const [charges, asked] of [
  [1, 0],
  [100, 0],
  [100, 60],
] as const) {
  test(`whoever wants to see ${charges} charges after ${asked} ms does not wait for company`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const written: number[] = []
    const settler = settlerOf(written)
    settleMany(settler, charges)
    await turns()
    t.mock.timers.tick(asked)
    await turns()
    assert.deepEqual(written, [])
    await settler.written()
    assert.deepEqual(written, [charges])
    assert.equal(settler.pending, 0)
  })
}
