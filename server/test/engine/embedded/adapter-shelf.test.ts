// Which adapters stay in memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import { AdapterShelf } from '#server/engine/embedded/serve/adapter-shelf.ts'

function shelfOf(keptMax: number) {
  const read: string[] = []
  const missing = new Set<string>()
  const shelf = new AdapterShelf(async (folder): Promise<Adapter> => {
    read.push(folder)
    await Promise.resolve()
    if (missing.has(folder)) throw new Error(`${folder} is not there`)
    return { rank: folder.length, alpha: 1, layers: [] }
  }, keptMax)
  return { shelf, read, missing }
}

test('an adapter is read once, also by two who ask at the same time', async () => {
  const { shelf, read } = shelfOf(2)
  const [one, other] = await Promise.all([shelf.get('a'), shelf.get('a')])
  assert.equal(one, other)
  assert.equal(await shelf.get('a'), one)
  assert.deepEqual(read, ['a'])
})

test('the least recently used goes when there are too many', async () => {
  const { shelf, read } = shelfOf(2)
  for (const folder of ['a', 'b', 'a', 'c', 'a', 'b']) await shelf.get(folder)
  assert.deepEqual(read, ['a', 'b', 'c', 'b'])
})

test('one that could not be read is tried again', async () => {
  const { shelf, read, missing } = shelfOf(2)
  missing.add('a')
  await assert.rejects(shelf.get('a'), /not there/)
  missing.clear()
  assert.equal((await shelf.get('a')).rank, 1)
  assert.deepEqual(read, ['a', 'a'])
})
