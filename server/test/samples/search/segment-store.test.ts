// What the indexer finds to do, and what it leaves when others were there before it or come in between.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import { indexDefaults } from '#server/samples/search/index-workspace.ts'
import {
  findWorkspacesToIndex,
  readQueue,
  readSegments,
  replaceSegments,
} from '#server/samples/search/segment-store.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { until } from '#test/support/until.ts'
import { saying, type SearchRig, searchRig, type Shelf } from './search-rig.ts'

let rig: SearchRig
before(async () => {
  rig = await searchRig()
})
after(() => rig.stop())

describe('a workspace has something to index', () => {
  const ago = (ms: number) => ({ ...saying('words'), createdAt: new Date(Date.now() - ms) })
  const isFound = async (shelf: Shelf, options = indexDefaults): Promise<boolean> =>
    (await findWorkspacesToIndex(rig.hone.app.storage, options)).includes(shelf.workspaceId)

  test('when its first samples have waited, whatever came after them', async () => {
    const options = { ...indexDefaults, queueSamples: 3, ripeMs: 60_000 }
    const [fresh, waited, few] = [await rig.shelf(), await rig.shelf(), await rig.shelf()]
    await waited.add(ago(90_000))
    await fresh.add(ago(30_000))
    for (const shelf of [waited, fresh]) await shelf.add(ago(0), ago(0))
    await few.add(ago(90_000), ago(0))
    assert.deepEqual(
      await Promise.all([fresh, waited, few].map((shelf) => isFound(shelf, options))),
      [false, true, false],
    )
  })

  test('when all samples of a segment are gone, though others of that time lie in a bucket', async () => {
    const shelf = await rig.shelf()
    const [one, , two] = await shelf.add('one', { objectKey: 'elsewhere' }, 'two')
    await shelf.index()
    await shelf.remove([one as string])
    assert.equal(await isFound(shelf), false)
    await shelf.remove([two as string])
    assert.equal(await isFound(shelf), true)
    assert.equal(await shelf.indexStep(indexDefaults), true)
    assert.deepEqual(await readSegments(rig.hone.app.storage, shelf.workspaceId), [])
    assert.equal(await isFound(shelf), false)
  })

  test('when a sample of a segment is gone for long, however many have gone since', async () => {
    const [shelf, other] = [await rig.shelf(), await rig.shelf()]
    await other.add('before')
    const [one, two] = await shelf.add('one', 'two', 'three')
    await other.add('after')
    for (const each of [shelf, other]) await each.index()
    await shelf.remove([one as string])
    await inDatabase(
      rig.hone.databaseUrl,
      `update search_segment set forgotten_at = now() - interval '4 minutes 59 seconds'
       where workspace_id = '${shelf.workspaceId}'`,
    )
    await shelf.remove([two as string])
    const { forgetMs } = indexDefaults
    assert.equal(await isFound(shelf, { ...indexDefaults, forgetMs: forgetMs + 60_000 }), false)
    assert.equal(await isFound(shelf, { ...indexDefaults, forgetMs: forgetMs - 1000 }), true)
    assert.equal(await isFound(other, { ...indexDefaults, forgetMs: 0 }), false)
  })
})

test('of a queue as much is taken as a segment holds', async () => {
  const { workspaceId } = await rig.shelf()
  await inDatabase(
    rig.hone.databaseUrl,
    `insert into search_queue (workspace_id, sample_ids)
     select '${workspaceId}', array(select gen_random_uuid() from generate_series(1, size))
     from unnest(array[15359, 1, 1]) as size`,
  )
  const batches = await readQueue(rig.hone.app.storage, workspaceId)
  assert.deepEqual(
    batches.map(({ samples }) => samples.length),
    [15_359, 1],
  )
})

test('what another has indexed meanwhile is not indexed again', async () => {
  const shelf = await rig.shelf()
  const { storage } = rig.hone.app
  const sampleIds = await shelf.add('needle')
  const batches = await readQueue(storage, shelf.workspaceId)
  const queued = { batchIds: batches.map(({ id }) => id), queuedIds: sampleIds }
  await shelf.index()
  const segments = await readSegments(storage, shelf.workspaceId)
  const characters = segments[0]?.characters ?? 0
  assert.ok(characters >= 6 && characters < 20, `${characters} characters`)
  const blocks = {
    firstKeys: new Float64Array(),
    starts: Uint32Array.of(0),
    bytes: new Uint8Array(),
  }
  const built = { workspaceId: shelf.workspaceId, sampleIds, characters, blocks }
  for (const replaced of [
    { segmentIds: [], ...queued },
    { segmentIds: ['0'], batchIds: [], queuedIds: [] },
  ]) {
    await replaceSegments(storage.db, shelf.workspaceId, replaced, built)
    const left = await readSegments(storage, shelf.workspaceId)
    assert.deepEqual(left, segments)
  }
  assert.deepEqual(await shelf.find('needle'), sampleIds)
})

describe('while a segment is written', () => {
  const waiting = (gate: Client, count: number): Promise<void> =>
    until(async () => {
      const { rowCount } = await gate.query(
        `select from pg_stat_activity where datname = current_database()
           and application_name = 'hone' and wait_event_type = 'Lock'`,
      )
      return rowCount === count
    })

  /** Whoever writes a segment of this workspace waits before it is there, until `meanwhile` is done. */
  async function atGate(
    { workspaceId }: Shelf,
    write: () => Promise<unknown>,
    meanwhile: (gate: Client) => Promise<void>,
  ): Promise<void> {
    const gate = new Client({ connectionString: rig.hone.databaseUrl })
    await gate.connect()
    try {
      await gate.query(
        `create or replace function wait_at_gate() returns trigger language plpgsql as $$
           begin perform pg_advisory_xact_lock(1, 2); return new; end $$;
         create or replace trigger wait_at_gate before insert on search_segment for each row
           when (new.workspace_id = '${workspaceId}') execute function wait_at_gate();
         select pg_advisory_lock(1, 2)`,
      )
      const writing = write()
      await waiting(gate, 1)
      await meanwhile(gate)
      await gate.query('select pg_advisory_unlock(1, 2)')
      await writing
    } finally {
      await gate.end()
    }
  }

  test('of several that become one, a sample that is deleted leaves that one too', async () => {
    const shelf = await rig.shelf()
    const ids: string[] = []
    for (let i = 0; i < 8; i++) {
      ids.push(...(await shelf.add('words')))
      await shelf.indexStep()
    }
    let removing: Promise<void> | undefined
    await atGate(
      shelf,
      () => shelf.indexStep(),
      async (gate) => {
        removing = shelf.remove(ids.slice(0, 1))
        await waiting(gate, 2)
      },
    )
    await removing
    await shelf.index()
    const segments = await readSegments(rig.hone.app.storage, shelf.workspaceId)
    assert.deepEqual(
      segments.map(({ samples }) => samples),
      [7],
    )
  })

  test('another may have its turn, because the first has lost its own, and all is indexed once', async () => {
    const shelf = await rig.shelf()
    const ids = await shelf.add('needle')
    let second: Promise<unknown> | undefined
    const first = (): Promise<unknown> => shelf.indexStep().catch(() => 'its turn was lost')
    await atGate(shelf, first, async (gate) => {
      await gate.query(
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'
           and query like '%pg_try_advisory_xact_lock%' and pid <> pg_backend_pid()`,
      )
      second = shelf.indexStep()
      await waiting(gate, 2)
    })
    await second
    assert.deepEqual(await shelf.find('needle'), ids)
    assert.equal((await readSegments(rig.hone.app.storage, shelf.workspaceId)).length, 1)
  })
})
