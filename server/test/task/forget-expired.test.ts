// What has run out is deleted, and nothing that still counts: a limit that is forgotten too early is none.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noHangUps } from '#server/inference/hang-up-store.ts'
import { newId } from '#server/lib/id.ts'
import { forgetExpired } from '#server/task/forget-expired.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const clock = new ManualClock()
const minutesAgo = (minutes: number): Date => new Date(clock.now().getTime() - minutes * 60_000)
let hone: TestHone
before(async () => {
  hone = await testHone({ clock, tasks: [] })
})
after(() => hone.stop())

test('tries to sign in, minutes, hang-ups and sessions go after an hour, and claims when they end', async () => {
  const { db } = hone.app.storage
  const [old, fresh] = [minutesAgo(61), minutesAgo(59)]
  const { id: user_id } = await db.selectFrom('person').select('id').executeTakeFirstOrThrow()
  const workspace_id = newId(clock.now())
  for (const at of [old, fresh]) {
    const id = newId(at)
    const tried = { id, address: '192.0.2.1', account: 'somebody', created_at: at }
    await db.insertInto('login_try').values(tried).execute()
    const minute = { workspace_id, minute: at, requests: '1', tokens: '1' }
    await db.insertInto('rate_window').values(minute).execute()
    const hungUp = { workspace_id, window_start: at, process_id: id, ...noHangUps }
    await db.insertInto('hang_up_count').values(hungUp).execute()
    const session = { id, user_id, created_at: at, expires_at: at, revoked_at: null }
    await db.insertInto('session').values(session).execute()
    // Claims are measured by the clock of the database.
    const expires_at = new Date(at === old ? '2001-01-01' : '2100-01-01')
    await db
      .insertInto('call_claim')
      .values({ workspace_id, process_id: id, places: 1, expires_at })
      .execute()
  }
  await forgetExpired.run(hone.app)
  const tries = await db.selectFrom('login_try').select('created_at as at').execute()
  const minutes = await db.selectFrom('rate_window').select('minute as at').execute()
  const hangUps = await db.selectFrom('hang_up_count').select('window_start as at').execute()
  const sessions = await db.selectFrom('session').select('expires_at as at').execute()
  const claims = await db.selectFrom('call_claim').select('expires_at as at').execute()
  for (const left of [tries, minutes, hangUps, sessions]) assert.deepEqual(left, [{ at: fresh }])
  assert.deepEqual(claims, [{ at: new Date('2100-01-01') }])
})

test('a session lives on, however often what ran out is deleted', async () => {
  const headers = await hone.login(hone.owner.email, hone.owner.password)
  clock.forward(3_599_000)
  await forgetExpired.run(hone.app)
  assert.equal((await hone.call('GET', '/api/workspaces', { headers })).status, 200)
})

test('cache entries go when they end, however many they are, and writers of counts after a week', async () => {
  const { db } = hone.app.storage
  const workspace_id = newId(clock.now())
  const entry = (number: number, expires_at: Date) => ({
    workspace_id,
    model: 'some',
    prefix_hash: Buffer.from(String(number).padStart(32)),
    ttl: '5m' as const,
    tokens: 1,
    expires_at,
  })
  const expired = Array.from({ length: 2500 }, (_, number) => entry(number, minutesAgo(0)))
  await db.insertInto('prompt_cache_entry').values(expired).execute()
  const lasting = new Date(clock.now().getTime() + 1)
  await db.insertInto('prompt_cache_entry').values(entry(2500, lasting)).execute()
  const weekMinutes = 7 * 24 * 60
  for (const minutes of [weekMinutes + 1, weekMinutes - 1]) {
    const writer = { id: newId(clock.now()), last_group: '1', written_at: minutesAgo(minutes) }
    await db.insertInto('capture_writer').values(writer).execute()
  }
  await forgetExpired.run(hone.app)
  const entries = await db.selectFrom('prompt_cache_entry').select('expires_at').execute()
  assert.deepEqual(entries, [{ expires_at: lasting }])
  const writers = await db.selectFrom('capture_writer').select('written_at').execute()
  assert.deepEqual(writers, [{ written_at: minutesAgo(weekMinutes - 1) }])
})
