// Who may search at once: one of a workspace, a few of all, the others in turn, and no crowd.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SearchSlots } from '#server/samples/search/search-slots.ts'

/** Searches that end when the test says so. */
function manySearches() {
  const slots = new SearchSlots()
  const running: { name: string; end(): void }[] = []
  const begin = (workspace: string, name: string): Promise<string> =>
    slots.run(workspace, () => {
      const { promise, resolve } = Promise.withResolvers<string>()
      running.push({ name, end: () => resolve(name) })
      return promise
    })
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { running, begin, settle, names: () => running.map(({ name }) => name) }
}

test('one of a workspace at a time, in the order they came', async () => {
  const { running, begin, settle, names } = manySearches()
  const all = [begin('w', 'first'), begin('w', 'second'), begin('w', 'third')]
  await settle()
  assert.deepEqual(names(), ['first'])
  for (let i = 0; i < 3; i++) {
    running[i]?.end()
    await settle()
  }
  assert.deepEqual(await Promise.all(all), ['first', 'second', 'third'])
})

test('a few of all workspaces, and whoever can go goes', async () => {
  const { running, begin, settle, names } = manySearches()
  const all = ['a', 'b', 'c', 'd', 'a', 'e'].map((workspace, i) =>
    begin(workspace, `${workspace}${i}`),
  )
  await settle()
  assert.deepEqual(names(), ['a0', 'b1', 'c2', 'd3'])
  running[1]?.end()
  await settle()
  assert.deepEqual(names().slice(4), ['e5'], 'a place is free, and workspace a has one already')
  running[0]?.end()
  await settle()
  assert.deepEqual(names().slice(5), ['a4'])
  for (const search of running) search.end()
  assert.deepEqual(await Promise.all(all), ['a0', 'b1', 'c2', 'd3', 'a4', 'e5'])
})

test('a crowd is turned away at once, and does not disturb those who wait', async () => {
  const { running, begin, settle } = manySearches()
  const patient = Array.from({ length: 5 }, (_, i) => begin('w', `${i}`))
  await assert.rejects(begin('w', 'too many'), { code: 'RATE_LIMITED' })
  const other = begin('other', 'other')
  for (let i = 0; i < 6; i++) {
    await settle()
    running[i]?.end()
  }
  assert.deepEqual(await Promise.all(patient), ['0', '1', '2', '3', '4'])
  assert.equal(await other, 'other')
})

test('one that waits for long is told to come again', async () => {
  const { running, begin, settle } = manySearches()
  const first = begin('w', 'first')
  await assert.rejects(begin('w', 'late'), {
    code: 'RATE_LIMITED',
    detail: { retryAfterSeconds: 1 },
  })
  running[0]?.end()
  assert.equal(await first, 'first')
  const next = begin('w', 'next')
  await settle()
  running[1]?.end()
  assert.equal(await next, 'next')
})

test('a search that fails frees its place', async () => {
  const slots = new SearchSlots()
  await assert.rejects(
    slots.run('w', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await slots.run('w', () => Promise.resolve('works')), 'works')
})
