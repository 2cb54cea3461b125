// How many tries to sign in may be under way at once: of one address, and of all together.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { LoginTurns } from '#server/account/login-turns.ts'
import { Refusal } from '#server/core/refusal.ts'

type Rig = {
  begun: number
  /** What became of a try, or null while it waits. */
  come: (address: string) => { told: string | null }
  /** Ends as many of those under way. */
  end: (count: number) => Promise<void>
}

function rig(t: TestContext): Rig {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turns = new LoginTurns()
  const ends: (() => void)[] = []
  const state: Rig = {
    begun: 0,
    come: (address) => {
      const tried: { told: string | null } = { told: null }
      const act = (): Promise<string> => {
        state.begun += 1
        return new Promise((resolve) => ends.push(() => resolve('in')))
      }
      turns.run(address, act).then(
        (told) => (tried.told = told),
        (error: unknown) => {
          assert.ok(error instanceof Refusal)
          tried.told = `${error.code} ${error.detail.retryAfterSeconds}`
        },
      )
      return tried
    },
    end: async (count) => {
      for (let i = 0; i < count; i++) {
        ends.shift()?.()
        await turn()
      }
    },
  }
  return state
}

test('one address has twenty, four of them at once, and gets its places back', async (t) => {
  const at = rig(t)
  const tries = Array.from({ length: 20 }, () => at.come('192.0.2.1'))
  const beyond = at.come('192.0.2.1')
  const other = at.come('192.0.2.2')
  await turn()
  assert.equal(beyond.told, 'RATE_LIMITED 1')
  assert.equal(at.begun, 4)
  await at.end(1)
  assert.equal(at.begun, 5)
  const [next, oneMore] = [at.come('192.0.2.1'), at.come('192.0.2.1')]
  await turn()
  assert.deepEqual([next.told, oneMore.told], [null, 'RATE_LIMITED 1'])
  await at.end(4)
  assert.ok(
    tries.slice(0, 5).every(({ told }) => told === 'in'),
    'in the order they came',
  )
  await at.end(26)
  for (const { told } of [...tries, other, next]) assert.equal(told, 'in')
  const again = Array.from({ length: 20 }, () => at.come('192.0.2.1'))
  await at.end(20)
  for (const { told } of again) assert.equal(told, 'in')
})

test('two hundred wait from all addresses, and each five seconds at most', async (t) => {
  const at = rig(t)
  const tries = Array.from({ length: 204 }, (_, index) => at.come(`192.0.2.${index}`))
  const beyond = at.come('198.51.100.1')
  await turn()
  assert.equal(beyond.told, 'UNAVAILABLE 2')
  assert.ok(tries.every(({ told }) => told === null))
  t.mock.timers.tick(4999)
  await turn()
  assert.ok(tries.every(({ told }) => told === null))
  t.mock.timers.tick(1)
  await turn()
  const told = tries.map((tried) => tried.told)
  assert.deepEqual(new Set(told.slice(0, 4)), new Set([null]))
  assert.deepEqual(new Set(told.slice(4)), new Set(['UNAVAILABLE 2']))
  const afterwards = at.come('192.0.2.203')
  await at.end(5)
  assert.equal(afterwards.told, 'in', 'who gave up holds no place')
})
