// What becomes of a connection after an error on it, and how many may wait for one.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { GuardedPool, type PoolOptions } from '#server/storage/guarded-pool.ts'
import {
  StorageBusy,
  StorageContended,
  StorageReadOnly,
  StorageUnavailable,
} from '#server/storage/storage-unavailable.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})

type Connection = Awaited<ReturnType<GuardedPool['connect']>>

async function session(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

async function withPool(
  options: Partial<PoolOptions>,
  act: (pool: GuardedPool) => Promise<void>,
): Promise<void> {
  const usual = { connectionsMax: 3, connectMs: 60_000, queryMs: 60_000 }
  const pool = new GuardedPool({ url: database.url, ...usual, ...options })
  try {
    await act(pool)
  } catch (error) {
    // Of a test that failed in the middle, it would wait for what was never given back.
    void pool.end()
    throw error
  }
  await pool.end()
}

async function nextSession(pool: GuardedPool): Promise<number> {
  const connection = await pool.connect()
  try {
    return await session(connection)
  } finally {
    connection.release()
  }
}

test('a connection on which an answer did not come is asked nothing more, by nobody', () =>
  withPool({ queryMs: 2000 }, async (pool) => {
    const connection = await pool.connect()
    const silent = await session(connection)
    await assert.rejects(connection.query('select pg_sleep(600)'), StorageUnavailable)
    await assert.rejects(connection.query('select 1'), StorageUnavailable)
    connection.release()
    assert.notEqual(await nextSession(pool), silent)
  }))

test('one on which a change was in the way of another is as good as before', () =>
  withPool({}, async (pool) => {
    const [holder, connection] = [await pool.connect(), await pool.connect()]
    await holder.query('begin; lock table wallet')
    await connection.query(`set lock_timeout to '10ms'`)
    await assert.rejects(connection.query('select * from wallet for update'), StorageContended)
    const same = await session(connection)
    connection.release()
    assert.equal(await nextSession(pool), same)
    await holder.query('rollback')
    holder.release()
  }))

test('those as old as one that took no changes are not used any more, newer ones are', () =>
  withPool({}, async (pool) => {
    const connections = await Promise.all(Array.from({ length: 3 }, () => pool.connect()))
    const [first, second, idle] = connections as [Connection, Connection, Connection]
    const old = await Promise.all(connections.map(session))
    idle.release()
    const refused = async (connection: Connection): Promise<void> => {
      await connection.query('set default_transaction_read_only to on')
      await assert.rejects(connection.query('delete from wallet'), StorageReadOnly)
      connection.release()
    }
    await refused(first)
    const next = await nextSession(pool)
    assert.ok(!old.includes(next))
    await refused(second)
    assert.equal(await nextSession(pool), next)
  }))

test('only so many wait for a connection', () =>
  withPool({ connectionsMax: 1 }, async (pool) => {
    const taken = await pool.connect()
    const waiting = Array.from({ length: 1000 }, () => pool.connect())
    await assert.rejects(pool.connect(), StorageBusy)
    taken.release()
    for (const connection of waiting) (await connection).release()
  }))
