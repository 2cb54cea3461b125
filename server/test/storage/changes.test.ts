// What is heard of other processes: nothing that was missed goes unnoticed, and silence is not trusted for long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, systemClock } from '#server/lib/clock.ts'
import { Changes } from '#server/storage/changes.ts'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { until } from '#test/support/until.ts'

test('after a connection that was cut everyone is told that anything may have changed, and hears again', async (t) => {
  const database = await testDatabase()
  const proxy = await databaseProxy(database.url)
  const changes = new Changes(proxy.url, systemClock)
  t.after(async () => {
    await changes.close()
    await proxy.close()
  })
  const told: Record<string, (string | null)[]> = { one: [], two: [], other: [] }
  changes.on('accounts_changed', (payload) => told.one?.push(payload))
  changes.on('accounts_changed', (payload) => told.two?.push(payload))
  changes.on('wallet_recall', (payload) => told.other?.push(payload))
  await changes.open()
  const opened = [null]
  assert.deepEqual(told, { one: opened, two: opened, other: opened })

  await proxy.set('refuse')
  await until(() => !changes.connected)
  // Long enough for more than one try to come back.
  await new Promise((resolve) => setTimeout(resolve, 700))
  // Nobody can hear of this.
  await inDatabase(database.url, `notify accounts_changed, 'missed'`)
  await proxy.set('pass')
  await until(() => changes.connected)
  const again = [null, null]
  assert.deepEqual(told, { one: again, two: again, other: again })
  await inDatabase(database.url, `notify accounts_changed, 'heard'`)
  await until(() => told.two?.length === 3)
  assert.deepEqual(told, { one: [...again, 'heard'], two: [...again, 'heard'], other: again })
})

test('a second without a sign of the database is no connection any more', async (t) => {
  const database = await testDatabase()
  let ms = 5000
  const clock: Clock = { ...systemClock, monotonicMs: () => ms }
  const changes = new Changes(database.url, clock)
  t.after(async () => {
    await changes.close()
  })
  assert.equal(changes.connected, false)
  await changes.open()
  assert.equal(changes.connected, true)
  ms += 999
  assert.equal(changes.connected, true)
  ms += 1
  assert.equal(changes.connected, false)
})
