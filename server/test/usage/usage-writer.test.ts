// Usage records are written by themselves after a moment. While they wait for a database which is away, the oldest go beyond what is
// kept, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { noUsage } from '#server/core/usage.ts'
import type { Storage } from '#server/storage/open-storage.ts'
import { UsageWriter } from '#server/usage/usage-writer.ts'

const kept = 50_000
const group = 1_000

/** A database that answers when it is told to; the first column of a group is its ids. */
function slowDatabase() {
  const stored: string[] = []
  const asked: PromiseWithResolvers<void>[] = []
  const query = async (_name: string, _text: string, values: string[]): Promise<[]> => {
    const answer = Promise.withResolvers<void>()
    asked.push(answer)
    await answer.promise
    stored.push(...values[0]!.slice(1, -1).split(','))
    return []
  }
  return { stored, asked, storage: { pool: { query } } as unknown as Storage }
}

function recorded(writer: UsageWriter, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    writer.record({
      requestId: `r${i}`,
      orgId: 'o',
      workspaceId: 'w',
      keyId: null,
      model: 'm',
      route: '',
      outcome: 'failed',
      usage: noUsage,
      latencyMs: 1,
      firstTokenMs: null,
      at: new Date(),
    })
  }
}

async function answerAll({ asked }: ReturnType<typeof slowDatabase>, done: Promise<void>) {
  const answering = setInterval(() => asked.splice(0).forEach(({ resolve }) => resolve()), 1)
  await done
  clearInterval(answering)
}

test('what is on its way is not what makes room', async () => {
  const database = slowDatabase()
  const writer = new UsageWriter(database.storage)
  recorded(writer, 0, kept)
  const done = writer.flush()
  while (database.asked.length === 0) await new Promise(setImmediate)
  // One group is on its way, so that its number fits beside those that wait, and the next makes room for a group.
  recorded(writer, kept, kept + group + 1)
  await answerAll(database, done)
  const stored = new Set(database.stored)
  const missing = Array.from({ length: kept + group + 1 }, (_, i) => `r${i}`).filter(
    (id) => !stored.has(id),
  )
  assert.deepEqual([missing.length, missing[0], missing.at(-1)], [group, 'r1000', 'r1999'])
  assert.equal(stored.size, database.stored.length)
})

test('what could not be stored waits in its place', async () => {
  const database = slowDatabase()
  const writer = new UsageWriter(database.storage)
  recorded(writer, 0, 2 * group)
  const failed = writer.flush()
  while (database.asked.length === 0) await new Promise(setImmediate)
  database.asked.splice(0).forEach(({ reject }) => reject(new Error('away')))
  await failed
  assert.deepEqual(database.stored, [])
  await answerAll(database, writer.flush())
  assert.deepEqual(
    database.stored,
    Array.from({ length: 2 * group }, (_, i) => `r${i}`),
  )
})

test('records are written by themselves after a moment, and again where that failed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { storage, asked, stored } = slowDatabase()
  const writer = new UsageWriter(storage)
  const passes = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms)
    await turn()
  }
  recorded(writer, 0, 2)
  await passes(199)
  assert.equal(asked.length, 0)
  await passes(1)
  assert.equal(asked.length, 1)
  asked.shift()?.reject(new Error('away'))
  await turn()
  await passes(999)
  assert.equal(asked.length, 0)
  await passes(1)
  asked.shift()?.resolve()
  await turn()
  assert.deepEqual(stored, ['r0', 'r1'])
  recorded(writer, 2, 3)
  await passes(200)
  asked.shift()?.resolve()
  await turn()
  assert.deepEqual(stored, ['r0', 'r1', 'r2'])
})
