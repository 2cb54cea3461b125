// What is remembered of credentials: that a change is never overtaken by an answer from before it, who waits for whom, and how long
// a credential that nobody knows waits for a database that stalls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Remembered } from '../../src/account/remembered.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Changes } from '../../src/storage/changes.ts'
import { StorageBusy, StorageUnavailable } from '../../src/storage/storage-unavailable.ts'

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

/** Changes that are heard, by hand. */
function heard(): { remembered: Remembered<string>; change: () => void } {
  let change = (): void => {}
  const changes = { connected: true, on: (_: string, listener: () => void) => (change = listener) }
  const remembered = new Remembered<string>({
    changes: changes as unknown as Changes,
    queryMs: 4000,
  })
  return { remembered, change: () => change() }
}

for (const [where, tell] of [
  ['here', ({ remembered }: ReturnType<typeof heard>) => remembered.forget()],
  ['elsewhere', ({ change }: ReturnType<typeof heard>) => change()],
] as const) {
  test(`an answer from before a change made ${where} is neither remembered nor given to who asks after it`, async () => {
    const rig = heard()
    const { remembered } = rig
    const before = Promise.withResolvers<string | null>()
    const after = Promise.withResolvers<string | null>()
    const early = remembered.get('key', () => before.promise)
    tell(rig)
    const late = remembered.get('key', () => after.promise)
    before.resolve('not revoked')
    assert.equal(await early, 'not revoked')
    assert.equal(remembered.peek('key'), undefined)
    let asked = 0
    const meanwhile = remembered.get('key', () => Promise.resolve(`question ${(asked += 1)}`))
    after.resolve(null)
    assert.deepEqual([await late, await meanwhile, asked], [null, null, 0])
    assert.equal(remembered.peek('key'), undefined)
  })
}

test('questions about made-up keys wait for each other, those about a key that was good do not', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { remembered } = heard()
  const begun: string[] = []
  const ask = (key: string): void => {
    const never = (): Promise<null> => {
      begun.push(key)
      return new Promise(() => {})
    }
    remembered.get(key, never).catch(() => {})
  }
  assert.equal(await remembered.get('good', () => Promise.resolve('value')), 'value')
  assert.equal(await remembered.get('revoked', () => Promise.resolve('value')), 'value')
  remembered.forget()
  assert.equal(await remembered.get('revoked', () => Promise.resolve(null)), null)
  for (const number of [1, 2, 3, 4]) ask(`made up ${number}`)
  assert.equal(await remembered.get('good', () => Promise.resolve('again')), 'again')
  ask('revoked')
  for (let number = 0; number < 999; number++) ask(`more ${number}`)
  await nextTurn()
  const madeUp = ['made up 1', 'made up 2', 'made up 3', 'made up 4']
  assert.deepEqual(begun, madeUp, 'one that is good no more waits like the others')
  await assert.rejects(
    remembered.get('one too many', () => Promise.resolve(null)),
    StorageBusy,
  )
})

test('ten thousand are remembered at most', async () => {
  const { remembered } = heard()
  for (let number = 0; number < 10_000; number++) {
    await remembered.get(`key ${number}`, () => Promise.resolve('value'))
  }
  assert.equal(remembered.peek('key 0'), 'value')
  await remembered.get('one more', () => Promise.resolve('value'))
  assert.deepEqual([remembered.peek('key 0'), remembered.peek('one more')], [undefined, 'value'])
})
