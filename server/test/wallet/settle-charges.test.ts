// How charges are tried again while the database is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import type { Storage } from '#server/storage/open-storage.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
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
