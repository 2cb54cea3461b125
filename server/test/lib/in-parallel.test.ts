// Work on many things, a few at a time: how many at once, in which order the results come, and what an error stops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inParallel } from '#server/lib/in-parallel.ts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Work that ends when the test says so. */
function heldWork() {
  const begun: number[] = []
  const held = new Map<number, PromiseWithResolvers<string>>()
  const work = (item: number): Promise<string> => {
    begun.push(item)
    const one = Promise.withResolvers<string>()
    held.set(item, one)
    return one.promise
  }
  const end = async (item: number): Promise<void> => {
    held.get(item)?.resolve(`done ${item}`)
    await settle()
  }
  const fail = async (item: number, error: Error): Promise<void> => {
    held.get(item)?.reject(error)
    await settle()
  }
  return { begun, work, end, fail }
}

test('as many at once as may be, the next when one is done, and results in the order of the items', async () => {
  const { begun, work, end } = heldWork()
  const all = inParallel([1, 2, 3, 4], 2, work)
  assert.deepEqual(begun, [1, 2])
  await end(2)
  assert.deepEqual(begun, [1, 2, 3])
  await end(3)
  await end(4)
  await end(1)
  assert.deepEqual(begun, [1, 2, 3, 4])
  assert.deepEqual(await all, ['done 1', 'done 2', 'done 3', 'done 4'])
})

test('after an error no more are begun, and it comes once the others are done', async () => {
  const { begun, work, end, fail } = heldWork()
  let said: unknown = null
  const all = inParallel([1, 2, 3, 4], 2, work).catch((error: unknown) => (said = error))
  const error = new Error('the first')
  await fail(1, error)
  assert.equal(said, null, 'the second is still under way')
  await end(2)
  assert.equal(await all, error)
  assert.deepEqual(begun, [1, 2])
})

test('of nothing there is nothing to do', async () => {
  assert.deepEqual(await inParallel([], 4, () => assert.fail('there is no item')), [])
})
