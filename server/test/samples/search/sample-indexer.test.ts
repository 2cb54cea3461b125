// The thread that indexes samples, as the rest of the process sees it: what fails is said, and closing it fails nobody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SampleIndexer } from '#server/samples/search/sample-indexer.ts'
import { testDatabase } from '#test/support/test-database.ts'

const database = await testDatabase()

test('a database that cannot be reached is said, and tried again the next time', async () => {
  const indexer = new SampleIndexer('postgres://nobody@127.0.0.1:1/none')
  await assert.rejects(indexer.run(), /samples could not be indexed: the database/)
  await assert.rejects(indexer.run(), /samples could not be indexed: the database/)
  await indexer.close()
})

test('it can be asked again and again of one thread, and after it was closed of none', async (t) => {
  let threads = 0
  const count = (): void => void (threads += 1)
  process.on('worker', count)
  t.after(() => process.off('worker', count))
  const indexer = new SampleIndexer(database.url)
  await indexer.run()
  await indexer.run()
  assert.equal(threads, 1)
  await indexer.close()
  await indexer.run()
  assert.equal(threads, 1)
})

test('closed in the middle, it ends without an error', async () => {
  const indexer = new SampleIndexer(database.url)
  const running = indexer.run()
  await indexer.close()
  await running
})
