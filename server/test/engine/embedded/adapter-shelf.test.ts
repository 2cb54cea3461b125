// Which adapters stay in memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import { AdapterShelf } from '#server/engine/embedded/serve/adapter-shelf.ts'

function shelfOf(keptMax: number) {
  const read: string[] = []
  const missing = new Set<string>()
  const inUse = new Set<Adapter>()
  const readAdapter = async (folder: string): Promise<Adapter> => {
    read.push(folder)
    await Promise.resolve()
    if (missing.has(folder)) throw new Error(`${folder} is not there`)
    return { rank: folder.length, alpha: 1, layers: [] }
  }
  const shelf = new AdapterShelf(readAdapter, keptMax, (adapter) => inUse.has(adapter))
  return { shelf, read, missing, inUse }
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

test('one in use stays, and the least recently used of the others goes', async () => {
  const { shelf, read, inUse } = shelfOf(2)
  inUse.add(await shelf.get('a'))
  for (const folder of ['b', 'c', 'a', 'c', 'b']) await shelf.get(folder)
  assert.deepEqual(read, ['a', 'b', 'c', 'b'])
})

test('where all are in use there are more, and fewer again once they are not', async () => {
  const { shelf, read, inUse } = shelfOf(2)
  const folders = Array.from({ length: 20 }, (_, index) => `adapter ${index}`)
  const adapters = await Promise.all(folders.map((folder) => shelf.get(folder)))
  for (const adapter of adapters) inUse.add(adapter)
  await shelf.get('one more')
  for (const folder of folders) await shelf.get(folder)
  assert.equal(read.length, 21)
  inUse.clear()
  for (const folder of folders.slice(-2)) await shelf.get(folder)
  assert.equal(read.length, 21)
  await shelf.get(folders[0]!)
  assert.equal(read.length, 22)
})

test('one that could not be read is tried again', async () => {
  const { shelf, read, missing } = shelfOf(2)
  missing.add('a')
  await assert.rejects(shelf.get('a'), /not there/)
  missing.clear()
  assert.equal((await shelf.get('a')).rank, 1)
  assert.deepEqual(read, ['a', 'a'])
})
