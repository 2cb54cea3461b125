// Marks of any number of samples and questions are changed in statements of bounded size, because a statement has only seconds, and where
// they are changed outside a transaction, each statement is kept by itself.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '#server/lib/clock.ts'
import { markLearned, markSetAside, takeMarksBack } from '#server/loop/selection/mark-store.ts'
import { markQuestions } from '#server/loop/selection/question-store.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { keepPipeline } from '#test/support/pipeline-rows.ts'
import { testDatabase } from '#test/support/test-database.ts'

let storage: Storage
before(async () => {
  storage = await openStorage((await testDatabase()).url, systemClock)
  await sql`create table changed (of text, rows integer, xact xid8, least text, most text)`.execute(
    storage.db,
  )
  await sql`create function count_changed() returns trigger language plpgsql as $$ begin
    insert into changed select tg_table_name, count(*), pg_current_xact_id(), min(key), max(key)
      from (select coalesce(row->>'sample_id', row->>'key') as key from n, to_jsonb(n) as row) as k;
    return null; end $$`.execute(storage.db)
  for (const table of ['pipeline_sample', 'pipeline_question']) {
    await sql`create trigger count_changed after update on ${sql.table(table)}
      referencing new table as n for each statement execute function count_changed()`.execute(
      storage.db,
    )
  }
})
after(() => storage.close())

const rows = 11_000

async function changedRows(table: string): Promise<{ all: number; most: number }> {
  const { rows: found } = await sql<{ all: number; most: number }>`
    select sum(rows)::int as all, max(rows) as most from changed where of = ${table}
  `.execute(storage.db)
  return found[0]!
}

test('what was set aside counts again, however many samples it is', async () => {
  const { id, workspace_id: workspaceId } = await keepPipeline(storage)
  await sql`insert into pipeline_sample (pipeline_id, sample_id, workspace_id, set_aside)
    select ${id}, gen_random_uuid(), ${workspaceId}, true from generate_series(1, ${rows})`.execute(
    storage.db,
  )
  await storage.db
    .transaction()
    .execute((tx) => markSetAside(tx, { workspaceId, pipelineId: id }, new Uint8Array()))
  const { all, most } = await changedRows('pipeline_sample')
  assert.deepEqual([all, most <= 5000], [rows, true], `${most} in one statement`)
})

test('questions that turned out to be parts of others join them, however many keys they have', async () => {
  const { id } = await keepPipeline(storage)
  const [few, many, into] = ['few', 'many', 'into'].map((name) =>
    createHash('md5').update(name).digest(),
  ) as [Buffer, Buffer, Buffer]
  await sql`insert into pipeline_question (pipeline_id, kind, key, question)
    select ${id}, 'prompt', uuid_send(gen_random_uuid()), case when no > 10 then ${many}::bytea else ${few} end
    from generate_series(1, ${rows}) as no`.execute(storage.db)
  const joined = [few, many].map((from) => ({
    from: from.toString('latin1'),
    into: into.toString('latin1'),
  }))
  const none = new Uint8Array()
  const marks = { keys: none, questions: none, kinds: none, held: none, used: none, joined }
  const now = { at: new Date(), attemptNo: 1 }
  await storage.db.transaction().execute((tx) => markQuestions(tx, id, marks, now))
  const { all, most } = await changedRows('pipeline_question')
  assert.deepEqual([all, most <= 5000], [rows, true], `${most} in one statement`)
  const left = await storage.db
    .selectFrom('pipeline_question')
    .select('question')
    .distinct()
    .where('pipeline_id', '=', id)
    .execute()
  assert.deepEqual(left, [{ question: into }])
})

/** The second portion is not begun. */
function stopsAfterOne(): AbortSignal {
  let begun = 0
  const throwIfAborted = (): void => {
    if (begun++ > 0) throw new Error('Hone stops')
  }
  return Object.defineProperty(new AbortController().signal, 'throwIfAborted', {
    value: throwIfAborted,
  })
}

for (const [what, change, left] of [
  ['learned', markLearned, 'learned_by is distinct from 1'],
  ['used', takeMarksBack, 'used_by is not null or first_used_by is not null'],
] as const) {
  test(`what an attempt ${what} is marked a portion at a time, and after a stop only what is left`, async () => {
    const { id: pipelineId, workspace_id: workspaceId } = await keepPipeline(storage)
    const all = sql`generate_series(1, ${rows})`
    await sql`insert into pipeline_sample (pipeline_id, sample_id, workspace_id, used_by, first_used_by)
      select ${pipelineId}, gen_random_uuid(), ${workspaceId}, 1, 1 from ${all}`.execute(storage.db)
    await sql`insert into pipeline_question (pipeline_id, kind, key, question, used_by, first_used_by)
      select ${pipelineId}, 'full', uuid_send(gen_random_uuid()), '', 1, 1 from ${all}`.execute(
      storage.db,
    )
    await sql`delete from changed`.execute(storage.db)
    const using = { pipelineId, attemptNo: 1 }
    await assert.rejects(change(storage.db, using, stopsAfterOne()), /Hone stops/)
    await change(storage.db, using)
    const { rows: made } = await sql<{ of: string; changed: number[] }>`
      select of, array_agg(changed order by changed desc) as changed from (
        select of, sum(rows)::int as changed from changed group by of, xact
      ) as kept where changed > 0 group by of order by of
    `.execute(storage.db)
    assert.deepEqual(made, [
      { of: 'pipeline_question', changed: [5000, 5000, 1000] },
      { of: 'pipeline_sample', changed: [5000, 5000, 1000] },
    ])
    // Else a portion would look for its rows among those of all others.
    const { rows: mixed } = await sql`
      select from changed a join changed b on b.of = a.of and b.xact > a.xact and b.least <= a.most
    `.execute(storage.db)
    assert.equal(mixed.length, 0, 'portions are in the order of their keys')
    for (const table of ['pipeline_sample', 'pipeline_question']) {
      const { rows: unchanged } = await sql`select from ${sql.table(table)}
        where pipeline_id = ${pipelineId} and (${sql.raw(left)})`.execute(storage.db)
      assert.equal(unchanged.length, 0, table)
    }
  })
}
