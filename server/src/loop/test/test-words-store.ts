// What models and judges said in tests goes with the samples that it was said about, and so do the labels of these. The numbers stay,
// so that a verdict can still be explained, until the pipeline is deleted.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import { type Erasure, erasureOf, insertErasures } from '../../samples/own-storage/erasure-store.ts'
import { attemptOfKey } from '../../samples/own-storage/object-key.ts'

type Tx = Transaction<Database>
type Held = { workspace_id: string; sample_id: string; key: string }

/** The objects that are to be deleted. */
export async function forgetTestWords(tx: Tx, sampleIds: readonly string[]): Promise<Erasure[]> {
  return forget(tx, sql`t.sample_id = any(${sampleIds}::uuid[])`)
}

/** The sample in a test, the answers of two models to it, and four readings of these. */
const rowsOfTest = 7

/** How many rows the tests of each have at most; without those that were never tested. */
export async function countTestRows(
  db: Db,
  sampleIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ sample_id: string; tests: number }>`
    select sample_id, count(*)::integer as tests from tested_sample
    where sample_id = any(${sampleIds}::uuid[]) group by sample_id
  `.execute(db)
  return new Map(rows.map(({ sample_id, tests }) => [sample_id, tests * rowsOfTest]))
}

/** Writes down that the tests of a deleted pipeline are to be forgotten. */
export async function queueForgetting(tx: Tx, pipelineId: string): Promise<void> {
  await sql`insert into pipeline_erasure (pipeline_id) values (${pipelineId})`.execute(tx)
}

export async function listToForget(db: Db): Promise<string[]> {
  const { rows } = await sql<{ pipeline_id: string }>`
    select pipeline_id from pipeline_erasure order by pipeline_id
  `.execute(db)
  return rows.map(({ pipeline_id }) => pipeline_id)
}

export async function endForgetting(db: Db, pipelineId: string): Promise<void> {
  await sql`delete from pipeline_erasure where pipeline_id = ${pipelineId}`.execute(db)
}

export type ForgettableAttempt = { id: string; attempt_no: number; running: boolean }

export async function findAttemptAfter(
  db: Db,
  pipelineId: string,
  attemptNo: number,
): Promise<ForgettableAttempt | null> {
  const { rows } = await sql<ForgettableAttempt>`
    select id, attempt_no, result = 'running' as running from attempt
    where pipeline_id = ${pipelineId} and attempt_no > ${attemptNo}
    order by attempt_no limit 1
  `.execute(db)
  return rows[0] ?? null
}

/** A statement has only seconds, and there are up to six answers and readings to a sample. */
const samplesPerPortion = 200

/**
 * One portion of the test of an attempt, behind this number: once the attempt has ended its rows, before that what was said. Its objects
 * are deleted later. Returns the last number; null where there was none left.
 */
export async function forgetPortion(
  tx: Tx,
  { id: attemptId, running }: ForgettableAttempt,
  after: number,
  now: Date,
): Promise<number | null> {
  const { rows } = await sql<{ no: number; sample_id: string }>`
    select no, sample_id from tested_sample
    where attempt_id = ${attemptId} and no > ${after} order by no limit ${samplesPerPortion}
  `.execute(tx)
  const ids = rows.map(({ sample_id }) => sample_id)
  const portion = sql`t.attempt_id = ${attemptId} and t.sample_id = any(${ids}::uuid[])`
  if (ids.length > 0) {
    await insertErasures(tx, await (running ? forget : remove)(tx, portion), now)
  }
  return rows.at(-1)?.no ?? null
}

/** Those with what was said about the same samples in the same tests. A sample may have been in any number of others. */
export async function listWordsHeld(
  db: Db | Tx,
  objects: readonly Pick<Erasure, 'sample_id' | 'object_key'>[],
): Promise<Erasure[]> {
  const said = objects.flatMap(({ sample_id, object_key }) => {
    const attemptId = attemptOfKey(object_key)
    return attemptId === null ? [] : [{ attemptId, sample_id }]
  })
  if (said.length === 0) return []
  const attemptIds = said.map(({ attemptId }) => attemptId)
  const sampleIds = said.map(({ sample_id }) => sample_id)
  const pairs = sql`select * from unnest(${attemptIds}::uuid[], ${sampleIds}::uuid[])`
  return objectsOf(await listHeld(db, sql`(t.attempt_id, t.sample_id) in (${pairs})`))
}

async function forget(tx: Tx, of: RawBuilder<unknown>): Promise<Erasure[]> {
  const held = await listHeld(tx, of)
  await sql`
    update test_answer a set answer = null, answer_key = null from tested_sample t
    where ${of} and a.attempt_id = t.attempt_id and a.sample_id = t.sample_id
      and (a.answer is not null or a.answer_key is not null)
  `.execute(tx)
  await sql`
    update test_reading r set reason = null, reason_key = null from tested_sample t
    where ${of} and r.attempt_id = t.attempt_id and r.sample_id = t.sample_id
      and (r.reason is not null or r.reason_key is not null)
  `.execute(tx)
  await sql`update tested_sample t set tags = '{}' where ${of} and tags <> '{}'`.execute(tx)
  return objectsOf(held)
}

async function remove(tx: Tx, of: RawBuilder<unknown>): Promise<Erasure[]> {
  const held = await listHeld(tx, of)
  for (const table of ['test_answer', 'test_reading']) {
    await sql`
      delete from ${sql.table(table)} s using tested_sample t
      where ${of} and s.attempt_id = t.attempt_id and s.sample_id = t.sample_id
    `.execute(tx)
  }
  await sql`delete from tested_sample t where ${of}`.execute(tx)
  return objectsOf(held)
}

function objectsOf(held: readonly Held[]): Erasure[] {
  return held.flatMap(
    ({ workspace_id, sample_id, key }) =>
      erasureOf({ workspaceId: workspace_id, id: sample_id }, key) ?? [],
  )
}

async function listHeld(db: Db | Tx, of: RawBuilder<unknown>): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select w.workspace_id, t.sample_id, said.key from tested_sample t
    join attempt w on w.id = t.attempt_id
    join lateral (
      select answer_key as key from test_answer a
      where a.attempt_id = t.attempt_id and a.sample_id = t.sample_id
      union all
      select reason_key from test_reading r
      where r.attempt_id = t.attempt_id and r.sample_id = t.sample_id
    ) as said on said.key is not null
    where ${of}
  `.execute(db)
  return rows
}
