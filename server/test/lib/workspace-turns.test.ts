// A few at once, and fewer of one workspace, so that none takes all there is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkspaceTurns } from '#server/lib/workspace-turns.ts'

function turnsOf(limits: Partial<ConstructorParameters<typeof WorkspaceTurns>[0]>) {
  const turns = new WorkspaceTurns(
    {
      atOnce: 3,
      ofWorkspaceAtOnce: 2,
      waitingMax: 4,
      waitingOfWorkspaceMax: 2,
      waitMs: 60_000,
      ...limits,
    },
    () => new Error('turned away'),
  )
  const running = new Map<string, () => void>()
  const begin = (name: string): Promise<void> =>
    turns.run(name.charAt(0), () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      running.set(name, () => {
        running.delete(name)
        resolve()
      })
      return promise
    })
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const end = async (name: string): Promise<void> => {
    running.get(name)?.()
    await settle()
  }
  return { begin, end, settle, names: () => [...running.keys()] }
}

test('so many of one workspace, so many of all, and whoever can go goes', async () => {
  const { begin, end, settle, names } = turnsOf({})
  const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map(begin)
  await settle()
  assert.deepEqual(names(), ['a1', 'a2', 'b1'])
  await end('b1')
  assert.deepEqual(names(), ['a1', 'a2', 'c1'], 'workspace a has as many as it may')
  await end('a2')
  assert.deepEqual(names(), ['a1', 'c1', 'a3'])
  for (const name of names()) await end(name)
  await Promise.all(all)
})

test('for each that ends one begins, of one workspace and of all', async () => {
  for (const [limits, first, then] of [
    [{ atOnce: 9 }, ['a1', 'a2', 'a3', 'a4'], ['a2', 'a3']],
    [{ atOnce: 2 }, ['a1', 'b1', 'c1', 'd1'], ['b1', 'c1']],
  ] as const) {
    const { begin, end, settle, names } = turnsOf(limits)
    const all = first.map(begin)
    await settle()
    await end('a1')
    assert.deepEqual(names(), then)
    for (let i = 0; i < 4; i++) for (const name of names()) await end(name)
    await Promise.all(all)
  }
})

test('those beyond who may wait are turned away at once, of one workspace and of all', async () => {
  const { begin, end, settle, names } = turnsOf({ atOnce: 1 })
  const all = ['a1', 'a2', 'a3'].map(begin)
  await assert.rejects(begin('a4'), { message: 'turned away' })
  all.push(...['b1', 'b2'].map(begin))
  await assert.rejects(begin('c1'), { message: 'turned away' })
  await settle()
  for (let i = 0; i < 5; i++) for (const name of names()) await end(name)
  await Promise.all(all)
})

test('whoever has waited long enough is turned away and keeps nobody', async () => {
  const { begin, end, settle, names } = turnsOf({ atOnce: 1, waitMs: 20 })
  const first = begin('a1')
  await assert.rejects(begin('a2'), { message: 'turned away' })
  await end('a1')
  await first
  const next = begin('a3')
  await settle()
  assert.deepEqual(names(), ['a3'])
  await end('a3')
  await next
})

test('one that fails gives its turn back', async () => {
  const turns = new WorkspaceTurns(
    { atOnce: 1, ofWorkspaceAtOnce: 1, waitingMax: 0, waitingOfWorkspaceMax: 0, waitMs: 1 },
    () => new Error('turned away'),
  )
  await assert.rejects(
    turns.run('a', () => Promise.reject(new Error('failed'))),
    { message: 'failed' },
  )
  assert.equal(await turns.run('a', () => Promise.resolve('done')), 'done')
})
