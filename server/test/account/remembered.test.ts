// What is remembered of credentials: how long a credential that nobody knows waits for a database that stalls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Remembered } from '../../src/account/remembered.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Changes } from '../../src/storage/changes.ts'
import { StorageUnavailable } from '../../src/storage/storage-unavailable.ts'

test('fault D3: a stranger who waited long for a turn does not wait as long again for a stalled database', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const changes = new Changes('postgres://nowhere', systemClock)
  const remembered = new Remembered<string>({ changes, queryMs: 4000 })
  const first = Promise.withResolvers<null>()
  const never = new Promise<null>(() => {})
  const told = remembered.get('stranger 1', () => first.promise).catch((error: unknown) => error)
  for (const number of [2, 3, 4]) {
    remembered.get(`stranger ${number}`, () => never).catch(() => {})
  }
  let asked = false
  const late = remembered
    .get('stranger 5', () => {
      asked = true
      return never
    })
    .catch((error: unknown) => error)
  await nextTurn()
  assert.equal(asked, false, 'four are asked about at once')

  context.mock.timers.tick(2900)
  first.reject(new StorageUnavailable(new Error('stalled')))
  assert.ok((await told) instanceof StorageUnavailable)
  await nextTurn()
  assert.equal(asked, true, 'the turn of the first went to the fifth')

  context.mock.timers.tick(1600)
  const outcome = await Promise.race([late, nextTurn('still waits')])
  assert.ok(outcome instanceof StorageUnavailable, 'told after 4.5 seconds in all')
})
