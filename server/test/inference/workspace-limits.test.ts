// What calls take of a workspace's minute and give back to it, counted to the token: by one process, and by two on one database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Refusal } from '#server/core/refusal.ts'
import { CallPlaces } from '#server/inference/call-places.ts'
import {
  type Admission,
  type Ceilings,
  WorkspaceLimits,
} from '#server/inference/workspace-limits.ts'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

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

const workspace = (): string => newId(new Date())

type Process = { limits: WorkspaceLimits; clock: ManualClock; ceilings: Ceilings }

function process(ceilings: Partial<Ceilings>, alone = true): Process {
  const own = { requestsPerMinute: 1000, tokensPerMinute: 1000, concurrentCalls: 100, ...ceilings }
  const clock = new ManualClock('2026-03-01T12:00:45.250Z')
  const places = new CallPlaces(storage, { processId: newId(new Date()), alone, lifeMs: 3_600_000 })
  open.push(places)
  // Others each time, as from a catalog that was read again.
  const limits = new WorkspaceLimits(storage, clock, places, () => ({ ...own }))
  return { limits, clock, ceilings: own }
}

async function refusal(admission: Promise<Admission>): Promise<Refusal> {
  try {
    await admission
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, 'rate_limit_exceeded')
    return error
  }
  assert.fail('it was admitted')
}

function remaining({ headers }: Admission): [requests: string, tokens: string] {
  return [
    headers['x-ratelimit-remaining-requests'] ?? '',
    headers['x-ratelimit-remaining-tokens'] ?? '',
  ]
}

test('an answer says what is left of the minute after its own call', async () => {
  const { limits } = process({ requestsPerMinute: 300, tokensPerMinute: 5000 })
  const id = workspace()
  const first = await limits.admit(id, 120)
  assert.deepEqual(first.headers, {
    'x-ratelimit-limit-requests': '300',
    'x-ratelimit-remaining-requests': '299',
    'x-ratelimit-reset-requests': '15s',
    'x-ratelimit-limit-tokens': '5000',
    'x-ratelimit-remaining-tokens': '4880',
    'x-ratelimit-reset-tokens': '15s',
  })
  assert.deepEqual(remaining(await limits.admit(id, 30)), ['298', '4850'])
  first.done(20)
  assert.deepEqual(remaining(await limits.admit(id, 0)), ['297', '4950'])
})

test('what goes back to the other processes is left here too', async () => {
  const { limits } = process({ tokensPerMinute: 5000 }, false)
  const id = workspace()
  const call = await limits.admit(id, 1200)
  call.done(20)
  await limits.drained()
  assert.deepEqual(remaining(await limits.admit(id, 0)), ['998', '4980'])
})

for (const alone of [true, false]) {
  const where = alone ? 'alone' : 'beside others'

  test(`${where}: tokens are refused from the one after the last`, async () => {
    const { limits } = process({}, alone)
    const id = workspace()
    const calls = [await limits.admit(id, 600), await limits.admit(id, 400)]
    const refused = await refusal(limits.admit(id, 1))
    assert.match(refused.message, /1,000 tokens a minute; wait 15 s/)
    assert.equal(refused.detail.retryAfterSeconds, 15)
    assert.deepEqual(refused.detail.headers?.['x-ratelimit-remaining-tokens'], '0')
    calls[1]?.done(399)
    calls[1]?.done(0)
    const last = await limits.admit(id, 1)
    await refusal(limits.admit(id, 1))
    last.done(0)
    await limits.admit(id, 1)
  })

  test(`${where}: what a call used beyond its estimate is missing to the next ones`, async () => {
    const { limits } = process({}, alone)
    const id = workspace()
    const call = await limits.admit(id, 100)
    call.done(950)
    await refusal(limits.admit(id, 51))
    await limits.admit(id, 50)
    await refusal(limits.admit(id, 1))
  })

  test(`${where}: a call that ends in another minute gives nothing to it and takes nothing of it`, async () => {
    for (const used of [0, 5000]) {
      const { limits, clock } = process({}, alone)
      const id = workspace()
      const call = await limits.admit(id, 1000)
      clock.forward(14_749)
      await refusal(limits.admit(id, 1))
      clock.forward(1)
      const next = await limits.admit(id, 400)
      call.done(used)
      await limits.admit(id, 600)
      await refusal(limits.admit(id, 1))
      next.done(399)
      await limits.admit(id, 1)
    }
  })

  test(`${where}: a changed ceiling holds from the next call on`, async () => {
    for (const name of ['requestsPerMinute', 'tokensPerMinute'] as const) {
      const { limits, ceilings } = process({ [name]: 3 }, alone)
      const id = workspace()
      for (let i = 0; i < 3; i++) await limits.admit(id, 1)
      await refusal(limits.admit(id, 1))
      ceilings[name] = 5
      for (let i = 0; i < 2; i++) await limits.admit(id, 1)
      await refusal(limits.admit(id, 1))
      ceilings[name] = 4
      await refusal(limits.admit(id, 1))
    }
  })

  test(`${where}: what was taken under a higher ceiling and not used does not outlive it`, async () => {
    for (const name of ['requestsPerMinute', 'tokensPerMinute'] as const) {
      const { limits, ceilings } = process({ [name]: 1000 }, alone)
      const id = workspace()
      await limits.admit(id, 1)
      ceilings[name] = 2
      await refusal(limits.admit(id, 1))
    }
  })

  test(`${where}: a call that is over a ceiling of the minute takes no place`, async () => {
    for (const name of ['requestsPerMinute', 'tokensPerMinute'] as const) {
      const { limits, clock } = process({ [name]: 1, concurrentCalls: 2 }, alone)
      const id = workspace()
      await limits.admit(id, 1)
      for (let i = 0; i < 5; i++) {
        assert.match((await refusal(limits.admit(id, 1))).message, /a minute/)
      }
      clock.forward(60_000)
      await limits.admit(id, 1)
      clock.forward(60_000)
      assert.match((await refusal(limits.admit(id, 1))).message, /2 calls at once; wait 1 s/)
    }
  })
}

test('one that finds no place takes nothing of the minute', async () => {
  const { limits } = process({ requestsPerMinute: 2, concurrentCalls: 1 })
  const id = workspace()
  const first = await limits.admit(id, 1000)
  for (let i = 0; i < 5; i++) {
    assert.match((await refusal(limits.admit(id, 1))).message, /calls at once/)
  }
  first.done(0)
  assert.deepEqual(remaining(await limits.admit(id, 1000)), ['0', '0'])
})
