// What models and judges said in tests goes with the samples that it was said about. The numbers stay, so that a verdict can still be
// explained.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import { type Erasure, erasureOf, insertErasures } from '../../samples/own-storage/erasure-store.ts'

type Tx = Transaction<Database>
type Held = { workspace_id: string; sample_id: string; key: string }

/** The objects that are to be deleted. */
export async function forgetTestWords(tx: Tx, sampleIds: readonly string[]): Promise<Erasure[]> {
  return forget(tx, sql`t.sample_id = any(${sampleIds}::uuid[])`)
}

/** In all tests of a pipeline that is deleted. Its objects are deleted later. */
export async function forgetTestWordsOf(tx: Tx, pipelineId: string, now: Date): Promise<void> {
  const ofPipeline = sql`t.attempt_id in (select id from attempt where pipeline_id = ${pipelineId})`
  await insertErasures(tx, await forget(tx, ofPipeline), now)
}

/** The objects with what was said about these samples. */
export async function listWordsHeld(db: Db | Tx, sampleIds: readonly string[]): Promise<Erasure[]> {
  return objectsOf(await listHeld(db, sql`t.sample_id = any(${sampleIds}::uuid[])`))
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
