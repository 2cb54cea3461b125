// The ceiling on calls at once, counted over several processes: never more than it, hardly fewer, and the places of a
// process that died come back.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  claimPlaces,
  deleteExpiredClaims,
  renewClaims,
} from '#server/inference/call-claim-store.ts'
import { CallPlaces } from '#server/inference/call-places.ts'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { type ScriptedUpstream, scriptedCatalog } from '#test/support/scripted-upstream.ts'
import { scriptedUpstream } from '#test/support/scripted-upstream.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let database: TestDatabase
let storage: Storage
const open: CallPlaces[] = []

before(async () => {
  database = await testDatabase()
  storage = await openStorage(database.url, systemClock)
})
after(async () => {
  await Promise.all(open.map((places) => places.close()))
  await storage.close()
})

/** Renewed only when the test says so. */
function processOn(on: Storage = storage, alone = false): { id: string; places: CallPlaces } {
  const id = newId(new Date())
  const places = new CallPlaces(on, { processId: id, alone, lifeMs: 3_600_000 })
  open.push(places)
  return { id, places }
}

const workspace = (): string => newId(new Date())

async function takeMany(
  places: CallPlaces,
  id: string,
  ceiling: number,
  count: number,
): Promise<number> {
  const take = async (): Promise<boolean> => places.take(id, ceiling)
  return (await Promise.all(Array.from({ length: count }, take))).filter(Boolean).length
}

for (const alone of [true, false]) {
  test(`one process ${alone ? 'alone' : 'of several'}: both sides of the ceiling`, async () => {
    const { places } = processOn(storage, alone)
    const id = workspace()
    for (const ceiling of [1, 3, 100, 512]) {
      assert.equal(await takeMany(places, id, ceiling, ceiling), ceiling)
      assert.equal(await places.take(id, ceiling), false)
      places.leave(id)
      assert.equal(await places.take(id, ceiling), true)
      for (let i = 0; i < ceiling; i++) places.leave(id)
    }
  })
}

test('two workspaces do not share places', async () => {
  const { places } = processOn()
  const [one, two] = [workspace(), workspace()]
  assert.equal(await takeMany(places, one, 5, 6), 5)
  assert.equal(await takeMany(places, two, 5, 6), 5)
})

test('small ceilings are exact over processes, and a free place goes to whoever asks', async () => {
  const [a, b] = [processOn().places, processOn().places]
  const id = workspace()
  assert.equal(await takeMany(a, id, 3, 2), 2)
  assert.equal(await takeMany(b, id, 3, 2), 1)
  assert.equal(await a.take(id, 3), false)
  a.leave(id)
  await until(() => b.take(id, 3))
  assert.equal(await a.take(id, 3), false)
})

test('large ceilings are kept, and within a hundredth for each process', async () => {
  const all = Array.from({ length: 3 }, () => processOn().places)
  const id = workspace()
  const ceiling = 600
  const each = await Promise.all(all.map((places) => takeMany(places, id, ceiling, 300)))
  const taken = each.reduce((sum, count) => sum + count, 0)
  assert.ok(taken <= ceiling && taken >= ceiling * 0.97, `${taken} of ${ceiling}`)
})

test('a thousand calls one after another cost no trip each', async () => {
  let trips = 0
  const counted = Object.create(storage, {
    pool: {
      value: {
        query: (...args: Parameters<Storage['pool']['query']>) => {
          trips += 1
          return storage.pool.query(...args)
        },
      },
    },
  }) as Storage
  const { places } = processOn(counted)
  const id = workspace()
  for (let i = 0; i < 1000; i++) {
    assert.equal(await places.take(id, 512), true)
    places.leave(id)
  }
  assert.equal(trips, 1)
})

test('places that lie idle are given back with the second renewal, and claimed anew when needed', async () => {
  const [a, b] = [processOn().places, processOn().places]
  const id = workspace()
  assert.equal(await a.take(id, 1000), true)
  a.leave(id)
  await a.renew()
  await a.renew()
  assert.equal(await takeMany(b, id, 1000, 1001), 1000)
  assert.equal(await a.take(id, 1000), false)
  b.leave(id)
  await until(() => b.take(id, 1000))
})

test('P9: calls that run keep their places, however often they are renewed', async () => {
  const [a, b] = [processOn().places, processOn().places]
  const id = workspace()
  assert.equal(await takeMany(a, id, 3, 3), 3)
  for (let renewals = 0; renewals < 3; renewals++) {
    await a.renew()
    assert.equal(await b.take(id, 3), false)
  }
})

test('a process that died gives its places back when its claim runs out; if it lives, it asks again', async () => {
  const [a, b] = [processOn(), processOn()]
  const id = workspace()
  assert.equal(await takeMany(a.places, id, 10, 10), 10)
  assert.equal(await b.places.take(id, 10), false)
  await storage.db
    .updateTable('call_claim')
    .set({ expires_at: new Date(0) })
    .where('process_id', '=', a.id)
    .execute()
  await until(() => b.places.take(id, 10))
  await a.places.renew()
  a.places.leave(id)
  a.places.leave(id)
  await a.places.renew()
  // The places that were left may still be on their way back.
  await until(() => b.places.take(id, 10))
  assert.equal(await takeMany(b.places, id, 10, 10), 0, 'eight are still used there, and two here')
})

test('a claim lasts for the time it was made or renewed for, and no longer', async () => {
  const [id, dead] = [workspace(), newId(new Date())]
  const { places } = processOn()
  const claim = { workspaceId: id, processId: dead, want: 4, ceiling: 4 }
  assert.equal(await claimPlaces(storage, { ...claim, lifeMs: 60_000 }), 4)
  assert.equal(await places.take(id, 4), false)
  const renewal = { processId: dead, workspaceIds: [id] }
  assert.deepEqual(await renewClaims(storage, { ...renewal, lifeMs: 300 }), new Set([id]))
  await until(() => places.take(id, 4), 5000)
  places.leave(id)
  const other = workspace()
  await claimPlaces(storage, { ...claim, workspaceId: other, lifeMs: 300 })
  await until(() => places.take(other, 4), 5000)
})

/** The same storage, on whose statement of this name `hold` is done first or last. */
function slowOn(
  name: string,
  hold: { first?: Promise<void>; last?: () => Promise<void> },
): Storage {
  const query = async (...args: Parameters<Storage['pool']['query']>): Promise<unknown> => {
    if (args[0] === name) await hold.first
    const rows = await storage.pool.query(...args)
    if (args[0] === name) await hold.last?.()
    return rows
  }
  return Object.create(storage, { pool: { value: { query } } }) as Storage
}

test('P9: a call that comes while idle places are given back takes none of those', async () => {
  const slow = Promise.withResolvers<void>()
  const a = processOn(slowOn('drop_call_claims', { first: slow.promise })).places
  const b = processOn().places
  const id = workspace()
  assert.equal(await a.take(id, 1000), true)
  a.leave(id)
  await a.renew()
  const renewed = a.renew()
  const taken = a.take(id, 1000)
  setTimeout(slow.resolve, 100)
  assert.equal(await taken, true)
  await renewed
  assert.ok((await takeMany(b, id, 1000, 1000)) <= 999)
})

test('P9: a place that is on its way to the others is not taken here', async () => {
  let answered = Promise.resolve()
  const a = processOn(slowOn('claim_call_places', { last: () => answered })).places
  const b = processOn().places
  const id = workspace()
  assert.equal(await takeMany(a, id, 3, 3), 3)
  const slow = Promise.withResolvers<void>()
  answered = slow.promise
  a.leave(id)
  await until(() => b.take(id, 3), 5000)
  const taken = a.take(id, 3)
  slow.resolve()
  assert.equal(await taken, false)
})

test('claims that ran out are deleted, and no others', async () => {
  const [a, b] = [processOn(), processOn()]
  const id = workspace()
  const claims = (): Promise<unknown[]> =>
    storage.db.selectFrom('call_claim').selectAll().where('process_id', '=', a.id).execute()
  assert.equal(await a.places.take(id, 1), true)
  await deleteExpiredClaims(storage)
  assert.equal((await claims()).length, 1)
  assert.equal(await b.places.take(id, 1), false)
  await storage.db
    .updateTable('call_claim')
    .set({ expires_at: new Date(0) })
    .where('process_id', '=', a.id)
    .execute()
  await deleteExpiredClaims(storage)
  assert.deepEqual(await claims(), [])
})

test('whatever is taken and left, in whichever process, the ceiling holds and no place is lost', async () => {
  const all = Array.from({ length: 3 }, () => processOn().places)
  const id = workspace()
  const ceiling = 25
  const running = all.map(() => 0)
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  for (let round = 0; round < 150; round++) {
    await Promise.all(
      all.map(async (places, at) => {
        for (let leaving = random(6); leaving > 0 && (running[at] ?? 0) > 0; leaving--) {
          running[at] = (running[at] ?? 0) - 1
          places.leave(id)
        }
        if (random(10) === 0) await places.renew()
        running[at] = (running[at] ?? 0) + (await takeMany(places, id, ceiling, random(8)))
      }),
    )
    const sum = running.reduce((a, b) => a + b, 0)
    assert.ok(sum <= ceiling, `${sum} calls at once`)
  }
  all.forEach((places, at) => {
    for (let left = running[at] ?? 0; left > 0; left--) places.leave(id)
  })
  const { places } = processOn()
  for (let taken = 0; taken < ceiling; taken++) await until(() => places.take(id, ceiling))
  assert.equal(await places.take(id, ceiling), false)
})

test('places that are left while others are being given back follow them, without a renewal', async () => {
  const [a, b] = [processOn().places, processOn().places]
  const id = workspace()
  assert.equal(await takeMany(a, id, 8, 8), 8)
  for (let i = 0; i < 8; i++) a.leave(id)
  for (let taken = 0; taken < 8; taken++) await until(() => b.take(id, 8))
})

test('over HTTP: two servers on one database share the ceiling', async () => {
  const upstream: ScriptedUpstream = await scriptedUpstream()
  const shared = await testDatabase()
  const options = {
    databaseUrl: shared.url,
    catalog: { ...scriptedCatalog(upstream.baseUrl), limits: { concurrent_calls: 5 } },
  }
  const hones = [await testHone(options), await testHone(options)]
  const ask = (hone: TestHone): Promise<Answer> =>
    hone.call('POST', '/v1/chat/completions', {
      bearer: hone.owner.key,
      body: { model: 'gated', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 },
    })
  try {
    const running = Array.from({ length: 5 }, (_, i) => ask(hones[i % 2] as TestHone))
    await until(() => upstream.calls.length >= 5)
    for (const hone of hones) {
      const refused = await ask(hone)
      assert.equal(refused.status, 429, refused.text)
      assert.match(refused.text, /5 calls at once/)
      assert.equal(refused.headers.get('retry-after'), '1')
    }
    upstream.open()
    for (const answer of await Promise.all(running)) assert.equal(answer.status, 200)
    for (const hone of hones) await until(async () => (await ask(hone)).status === 200)
  } finally {
    for (const hone of hones) await hone.stop()
    await upstream.close()
  }
})
