// Spec 1, caching rule 14: an entry exists from the start of its response on, also while it is not stored yet. Engines here
// count 100 tokens for every block, models have a minimum of 64, and the database takes entries only when it is told to.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { noUsage } from '#server/core/usage.ts'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import type { CachePlan } from '#server/prompt-cache/cache-plan.ts'
import { PromptCache } from '#server/prompt-cache/prompt-cache.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { type ChaosHone, chaosHone, dig } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { asking, explicit, mark5m, text, user } from './requests.ts'

let database: TestDatabase
let storage: Storage
before(async () => {
  database = await testDatabase()
  storage = await openStorage(database.url, systemClock)
})
after(async () => {
  await storage.close()
})

/** A cache whose writes wait at a gate. */
function rig() {
  let waiting: ((goes: boolean) => void)[] = []
  let isOpen = false
  const query = async (name: string, sql: string, values: unknown[]): Promise<unknown[]> => {
    const waits = !isOpen && name.startsWith('write')
    const goes = !waits || (await new Promise<boolean>((resolve) => waiting.push(resolve)))
    if (!goes) throw new StorageUnavailable(new Error('gone'))
    return storage.pool.query(name, sql, values)
  }
  const held = { ...storage, pool: { query } } as unknown as Storage
  const clock = new ManualClock()
  const cache = new PromptCache(held, clock, { warn() {} })
  const workspaceId = newId(clock.now())
  const plan = async (system: string): Promise<CachePlan> =>
    cache.plan({
      request: asking({ system: [text(system, mark5m)], messages: [user('a')] }),
      model: 'test',
      workspaceId,
      caching: explicit,
      effort: null,
      startedAt: clock.now(),
    })
  /** Lets the writes under way through, or makes them fail. */
  const release = (goes = true): void => {
    const now = waiting
    waiting = []
    for (const one of now) one(goes)
  }
  const drain = async (): Promise<void> => {
    isOpen = true
    release()
    await cache.drained()
    isOpen = false
  }
  return { cache, clock, plan, release, drain }
}

function reads(plan: CachePlan): boolean {
  const told = { tokensPerBlock: [100, 100] }
  return plan.split({ ...noUsage, inputTokens: 200 }, told).cacheReadTokens === 100
}

test('a call right behind the start of a response reads, before anything is stored', async () => {
  const { plan, drain } = rig()
  const first = await plan('s')
  assert.equal(reads(await plan('s')), false)
  first.responseStarted()
  assert.equal(reads(await plan('s')), true)
  assert.equal(reads(await plan('other')), false)
  await drain()
  assert.equal(reads(await plan('s')), true)
})

test('an entry on its way expires as any other, and each reading refreshes it', async () => {
  const { plan, clock, drain } = rig()
  ;(await plan('s')).responseStarted()
  clock.forward(4 * 60_000)
  const second = await plan('s')
  assert.equal(reads(second), true)
  second.responseStarted()
  clock.forward(4 * 60_000)
  assert.equal(reads(await plan('s')), true)
  clock.forward(60_000)
  assert.equal(reads(await plan('s')), false)
  await drain()
  assert.equal(reads(await plan('s')), false)
})

test('an entry that was not stored in the end is gone', async () => {
  const { plan, release, cache } = rig()
  ;(await plan('s')).responseStarted()
  release(false)
  await cache.drained()
  assert.equal(reads(await plan('s')), false)
})

type Step =
  | { do: 'ask'; prompt: number }
  | { do: 'start'; call: number }
  | { do: 'abandon'; call: number }
  | { do: 'wait'; minutes: number }
  | { do: 'store' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ask'), prompt: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('start'), call: fc.nat(5) }) },
  fc.record({ do: fc.constant('abandon'), call: fc.nat(5) }),
  fc.record({ do: fc.constant('wait'), minutes: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('store') }),
)

test('whatever is stored when, a call reads exactly what began to be answered before it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { clock, plan, release, drain } = rig()
      const calls: { plan: CachePlan; prompt: number; at: number; waits: boolean }[] = []
      /** When the entry of each prompt ends, counted from the start of the last call that wrote or read it. */
      const ends = new Map<number, number>()
      let minute = 0
      for (const each of steps) {
        const call = 'call' in each ? calls.at(-1 - each.call) : undefined
        switch (each.do) {
          case 'ask': {
            const planned = await plan(`prompt ${each.prompt}`)
            assert.equal(reads(planned), (ends.get(each.prompt) ?? 0) > minute)
            calls.push({ plan: planned, prompt: each.prompt, at: minute, waits: true })
            break
          }
          case 'start':
            if (!call) break
            call.plan.responseStarted()
            if (call.waits) {
              ends.set(call.prompt, Math.max(ends.get(call.prompt) ?? 0, call.at + 5))
            }
            call.waits = false
            break
          case 'abandon':
            call?.plan.abandoned()
            if (call) call.waits = false
            break
          case 'wait':
            minute += each.minutes
            clock.forward(each.minutes * 60_000)
            break
          case 'store':
            release()
        }
      }
      await drain()
      for (const [prompt, end] of ends) {
        assert.equal(reads(await plan(`prompt ${prompt}`)), end > minute)
      }
    }),
    { numRuns: 60 },
  )
})

test('over HTTP: while entries wait to be written, the next call reads all the same', async () => {
  const pricing = { input: 1, output: 2, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 }
  const hone: ChaosHone = await chaosHone((upstream) => [
    {
      id: 'caches',
      prompt_caching: { type: 'explicit', min_tokens: 1 },
      routes: [chaosRoute(upstream, 'openai', 'ok', { pricing })],
    },
  ])
  try {
    const ask = async (): Promise<unknown> => {
      const cache_control = { type: 'ephemeral' }
      const system = [{ type: 'text', text: 'Be kind and short.', cache_control }]
      const answer = await hone.post('messages', { model: 'caches', system })
      return dig(answer.json, 'usage.cache_read_input_tokens')
    }
    const { pool } = hone.hone.app.storage
    const query = pool.query.bind(pool)
    const gate = Promise.withResolvers<void>()
    pool.query = async (name: string, ...rest: [string, unknown[]]) => {
      if (name.startsWith('write_prompt_cache')) await gate.promise
      return query(name, ...rest)
    }
    assert.equal(await ask(), undefined)
    assert.ok(Number(await ask()) > 0)
    gate.resolve()
    await hone.hone.app.calls.promptCache.drained()
    assert.ok(Number(await ask()) > 0)
  } finally {
    await hone.stop()
  }
})
