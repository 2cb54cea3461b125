// What an empty database gets, and that it gets it once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { firstStart, planSetUp } from '#server/first-start.ts'
import { systemClock } from '#server/lib/clock.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

let database: TestDatabase
let storages: Storage[]
before(async () => {
  database = await testDatabase()
  storages = [await openStorage(database.url, systemClock)]
  storages.push(await openStorage(database.url, systemClock))
})
after(async () => {
  for (const storage of storages) await storage.close()
})

test('of several that start at once on an empty database one makes the owner, and all of it', async () => {
  const now = systemClock.now()
  const plans = storages.map(() => planSetUp({}, now))
  const made = await Promise.all(
    storages.map((storage, index) => firstStart(storage, plans[index]!, now)),
  )
  const [owner, ...others] = made.filter((one) => one !== null)
  assert.ok(owner)
  assert.deepEqual(others, [])
  assert.equal(owner.email, 'owner@hone.local')
  assert.match(owner.key, /^hone_[0-9A-Za-z]{46}$/)
  const rows = (sql: string) => inDatabase(database.url, sql)
  assert.deepEqual(await rows('select balance::text from wallet'), [{ balance: '100000000000000' }])
  assert.deepEqual(await rows('select kind, amount::text from ledger_entry'), [
    { kind: 'grant', amount: '100000000000000' },
  ])
  assert.deepEqual(await rows('select action from audit_event'), [{ action: 'org.created' }])
  assert.deepEqual(await rows('select role from member'), [{ role: 'owner' }])
  assert.deepEqual(
    await rows(
      'select prefix, scope_preset, cardinality(scopes) as scopes, expires_at from api_key',
    ),
    [{ prefix: owner.key.slice(0, 12), scope_preset: 'all', scopes: 16, expires_at: null }],
  )
  assert.equal(await firstStart(storages[0]!, planSetUp({}, now), now), null)
  const again = plans[made.indexOf(owner)]!
  assert.deepEqual(
    await firstStart(storages[1]!, again, now),
    owner,
    'its answer may have been lost',
  )
})

test('what was chosen beforehand is taken, and the rest is made anew each time', () => {
  const now = systemClock.now()
  const chosen = { email: 'a@b.example', password: 'chosen password', key: 'x'.repeat(20) }
  assert.deepEqual(planSetUp(chosen, now).owner, chosen)
  const [one, other] = [planSetUp({}, now), planSetUp({}, now)]
  assert.notEqual(one.orgId, other.orgId)
  assert.notEqual(one.owner.password, other.owner.password)
  assert.notEqual(one.owner.key, other.owner.key)
})
