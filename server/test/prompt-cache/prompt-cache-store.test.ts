// The table of entries on a real database: what is found, what a write over an entry does, what is deleted.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { systemClock } from '#server/lib/clock.ts'
import { EntryWriter, withoutRepeats } from '#server/prompt-cache/entry-writer.ts'
import {
  deleteExpired,
  type Entry,
  expiryOf,
  findEntries,
  writeEntries,
} from '#server/prompt-cache/prompt-cache-store.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { type TestDatabase, testDatabase } from '../support/test-database.ts'

const start = new Date('2026-03-01T12:00:00Z')
const later = (ms: number): Date => new Date(start.getTime() + ms)
const minuteMs = 60_000

let database: TestDatabase
let storage: Storage

before(async () => {
  database = await testDatabase()
  storage = await openStorage(database.url, systemClock)
})
after(async () => {
  await storage.close()
})

function entryFor(workspaceId: string, name: string, parts: Partial<Entry> = {}): Entry {
  const ttl = parts.ttl ?? '5m'
  return {
    workspaceId,
    model: 'm',
    hash: createHash('sha256').update(name).digest(),
    ttl,
    tokens: null,
    expiresAt: expiryOf(ttl, start),
    ...parts,
  }
}

const find = (entry: Entry, at = start): Promise<Entry[]> =>
  findEntries(storage, { ...entry, hashes: [entry.hash], at })

test('rule 11: an entry is found until the moment it expires', async () => {
  const entry = entryFor(newId(start), 'a', { tokens: 100 })
  await writeEntries(storage, [entry], start)
  assert.deepEqual(await find(entry), [entry])
  assert.equal((await find(entry, later(5 * minuteMs - 1))).length, 1)
  assert.equal((await find(entry, later(5 * minuteMs))).length, 0)
  assert.equal((await find(entry, later(5 * minuteMs + 1))).length, 0)
})

test('rule 8: an entry for an hour is found for an hour', async () => {
  const entry = entryFor(newId(start), 'a', { ttl: '1h' })
  await writeEntries(storage, [entry], start)
  assert.equal((await find(entry, later(60 * minuteMs - 1))).length, 1)
  assert.equal((await find(entry, later(60 * minuteMs))).length, 0)
})

test('several are found at once, and only those asked for', async () => {
  const workspaceId = newId(start)
  const entries = ['a', 'b', 'c'].map((name) => entryFor(workspaceId, name))
  await writeEntries(storage, entries, start)
  const hashes = [entries[0]?.hash, entries[2]?.hash, Buffer.alloc(32)] as Buffer[]
  const found = await findEntries(storage, { workspaceId, model: 'm', hashes, at: start })
  assert.deepEqual(new Set(found.map(({ hash }) => hash.toString('hex'))).size, 2)
})

test('an entry is found neither by another workspace nor for another model', async () => {
  const entry = entryFor(newId(start), 'a')
  await writeEntries(storage, [entry], start)
  assert.deepEqual(await find({ ...entry, workspaceId: newId(start) }), [])
  assert.deepEqual(await find({ ...entry, model: 'n' }), [])
})

const overwrites: Record<string, [Partial<Entry>, Partial<Entry>, Date, Partial<Entry>]> = {
  'a longer ttl lengthens': [
    { ttl: '5m' },
    { ttl: '1h', expiresAt: later(60 * minuteMs) },
    start,
    { ttl: '1h', expiresAt: later(60 * minuteMs) },
  ],
  'a shorter ttl does not shorten': [
    { ttl: '1h' },
    { ttl: '5m', expiresAt: later(6 * minuteMs) },
    later(minuteMs),
    { ttl: '1h', expiresAt: later(60 * minuteMs) },
  ],
  'a shorter ttl replaces one that has expired': [
    { ttl: '1h' },
    { ttl: '5m', expiresAt: later(66 * minuteMs) },
    later(61 * minuteMs),
    { ttl: '5m', expiresAt: later(66 * minuteMs) },
  ],
  'a request that began earlier does not take time away': [
    { expiresAt: later(7 * minuteMs) },
    { expiresAt: later(5 * minuteMs) },
    later(2 * minuteMs),
    { expiresAt: later(7 * minuteMs) },
  ],
  'tokens are told later': [{}, { tokens: 200 }, start, { tokens: 200 }],
  'tokens are not forgotten': [{ tokens: 200 }, {}, start, { tokens: 200 }],
  'tokens can be corrected': [{ tokens: 200 }, { tokens: 210 }, start, { tokens: 210 }],
  'a wrong report is cut to what fits': [{}, { tokens: 10 ** 15 }, start, { tokens: 2 ** 31 - 1 }],
}

for (const [what, [first, second, now, expected]] of Object.entries(overwrites)) {
  test(`writing over an entry: ${what}`, async () => {
    const entry = entryFor(newId(start), 'a', first)
    await writeEntries(storage, [entry], start)
    await writeEntries(storage, [entryFor(entry.workspaceId, 'a', second)], now)
    assert.deepEqual(await find(entry, later(-1)), [{ ...entry, ...expected }])
  })
}

test('what was written twice at a time is put together as the table would', () => {
  const workspaceId = newId(start)
  const hour = entryFor(workspaceId, 'a', { ttl: '1h', tokens: 5 })
  const minutes = entryFor(workspaceId, 'a')
  assert.deepEqual(withoutRepeats([hour, minutes]), [hour])
  assert.deepEqual(withoutRepeats([minutes, hour]), [hour])
  assert.equal(withoutRepeats([hour, { ...hour, model: 'n' }]).length, 2)
})

test('many writers of the same entries at once neither fail nor wait in a circle', async () => {
  const workspaceId = newId(start)
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`)
  const entries = names.map((name) => entryFor(workspaceId, name))
  await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      writeEntries(storage, index % 2 ? entries : entries.toReversed(), start),
    ),
  )
  const hashes = entries.map(({ hash }) => hash)
  const found = await findEntries(storage, { workspaceId, model: 'm', hashes, at: start })
  assert.equal(found.length, 20)
})

test('the writer puts calls together and every one of them is told', async () => {
  const writer = new EntryWriter(storage, systemClock)
  const workspaceId = newId(start)
  const entries = Array.from({ length: 300 }, (_, index) => entryFor(workspaceId, `${index % 100}`))
  await Promise.all(entries.map((entry) => writer.write([entry])))
  await writer.drained()
  const hashes = entries.map(({ hash }) => hash)
  const found = await findEntries(storage, { workspaceId, model: 'm', hashes, at: start })
  assert.equal(found.length, 100)
})

/** Statements that end when they are told to, in the order in which they were asked. */
function stalled() {
  const ends: ((failure?: Error) => void)[] = []
  let isOpen = false
  const query = (): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      if (isOpen) resolve([])
      else ends.push((failure) => (failure ? reject(failure) : resolve([])))
    })
  const open = (): void => {
    isOpen = true
    for (const end of ends.splice(0)) end()
  }
  return { ends, open, on: { pool: { query } } as unknown as Storage }
}

test('rule 14: an entry can be read until the last of its writes is over, as they are together', async () => {
  const { on, ends } = stalled()
  const writer = new EntryWriter(on, systemClock)
  const entry = entryFor(newId(start), 'a', { ttl: '1h' })
  const refreshed = { ...entry, tokens: 7, expiresAt: later(90 * minuteMs) }
  const pending = (): Entry[] => writer.pending({ ...entry, hashes: [entry.hash], at: start })
  const first = writer.write([entry])
  const second = writer.write([{ ...refreshed, ttl: '5m' }])
  assert.deepEqual(pending(), [refreshed])
  ends.shift()?.(new Error('gone'))
  await assert.rejects(first, /gone/)
  assert.deepEqual(pending(), [refreshed])
  ends.shift()?.()
  await second
  await writer.drained()
  assert.deepEqual(pending(), [])
})

test('behind a database that stalls only so many writes wait', async () => {
  const { on, open } = stalled()
  const writer = new EntryWriter(on, systemClock)
  const entry = entryFor(newId(start), 'a')
  const write = (): Promise<void> => writer.write([entry])
  // One is under way.
  const writes = Array.from({ length: 1 + 10_000 }, write)
  const refused = assert.rejects(write(), /too many/)
  open()
  await refused
  await Promise.all(writes)
  await write()
})

test('what has expired is deleted, a limited number at a time, and nothing else', async () => {
  const now = later(100 * minuteMs)
  while ((await deleteExpired(storage, now, 1000)) > 0);
  const workspaceId = newId(start)
  const old = ['a', 'b', 'c'].map((name) => entryFor(workspaceId, name))
  const edge = entryFor(workspaceId, 'd', { expiresAt: now })
  const live = entryFor(workspaceId, 'e', { expiresAt: later(100 * minuteMs + 1) })
  await writeEntries(storage, [...old, edge, live], start)
  assert.equal(await deleteExpired(storage, now, 3), 3)
  assert.equal(await deleteExpired(storage, now, 3), 1)
  assert.equal(await deleteExpired(storage, now, 3), 0)
  assert.equal((await find(live, now)).length, 1)
})
