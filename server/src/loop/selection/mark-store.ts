// The table of marks: which samples a pipeline holds back, which an attempt used and which a version learned. Packed ids are the 16
// bytes of each, one behind the other, because there may be hundreds of thousands.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import { type MarkTable, portionsOf, rowsPerStatement } from './in-portions.ts'
import { idAt, idBytes, idsIn } from './packed-ids.ts'
import { liveAttempts } from './live-attempts.ts'
import { keysIn } from './question-store.ts'

export type Mark = Pick<Database['pipeline_sample'], 'held_at' | 'used_by' | 'used_signal'> & {
  /** The version that learned it. */
  learned_by: number | null
}

/** Packed ids, and of each the key of its question. */
export type MarkedSamples = { samples: Uint8Array; questions: Uint8Array }

type Tx = Transaction<Database>
type Marked = { workspaceId: string; pipelineId: string }

/** Of those that have one. */
export async function readMarks(
  db: Db | Tx,
  pipelineId: string,
  sampleIds: readonly string[],
): Promise<Map<string, Mark>> {
  const { rows } = await sql<Mark & { sample_id: string }>`
    select m.sample_id, m.held_at, m.used_by, m.used_signal, v.version_no as learned_by
    from pipeline_sample m
    left join version v on v.pipeline_id = ${pipelineId} and v.attempt_no = m.learned_by
    where m.pipeline_id = ${pipelineId} and m.sample_id = any(${sampleIds}::uuid[])
  `.execute(db)
  return new Map(rows.map((row) => [row.sample_id, row]))
}

/**
 * Until the transaction ends, none of those that exist is deleted. All that is marked in it is locked at once, oldest first as by those
 * who erase samples: the groups that are marked one after the other are newest first.
 */
export async function lockSamples(
  tx: Tx,
  workspaceId: string,
  groups: readonly Uint8Array[],
): Promise<void> {
  const ids = groups.flatMap(idsIn).sort()
  for (let from = 0; from < ids.length; from += rowsPerStatement) {
    const some = ids.slice(from, from + rowsPerStatement)
    await sql`select from sample where workspace_id = ${workspaceId} and id = any(${some}::uuid[])
      order by id for key share`.execute(tx)
  }
}

/** Those that are gone meanwhile get none, and those that are held back already stay so from then on. */
export async function markHeldBack(
  tx: Tx,
  { workspaceId, pipelineId }: Marked,
  { samples, questions }: MarkedSamples,
  at: Date,
): Promise<void> {
  for (const [index, ids] of chunksOf(samples).entries()) {
    await sql`
      insert into pipeline_sample (pipeline_id, sample_id, workspace_id, question, held_at)
      select ${pipelineId}, s.id, s.workspace_id, h.question, ${at}
      from unnest(${ids}::uuid[], ${questionsOf(questions, index, ids.length)}::bytea[]) as h (id, question)
      join sample s on s.workspace_id = ${workspaceId} and s.id = h.id
      order by s.id for key share of s
      on conflict (pipeline_id, sample_id) do update
        set held_at = coalesce(pipeline_sample.held_at, excluded.held_at),
          question = excluded.question
    `.execute(tx)
  }
}

/** `signals` are the feedback that counted for each, in the same order. */
export async function markUsed(
  tx: Tx,
  { workspaceId, pipelineId }: Marked,
  { samples, questions, signals }: MarkedSamples & { signals: Uint8Array },
  attemptNo: number,
): Promise<void> {
  const signalChunks = chunksOf(signals)
  for (const [index, ids] of chunksOf(samples).entries()) {
    await sql`
      insert into pipeline_sample (
        pipeline_id, sample_id, workspace_id, question, used_by, used_signal, first_used_by
      )
      select ${pipelineId}, s.id, s.workspace_id, g.question, ${attemptNo}, g.signal_id, ${attemptNo}
      from unnest(
        ${ids}::uuid[], ${questionsOf(questions, index, ids.length)}::bytea[],
        ${signalChunks[index]}::uuid[]
      ) as g (id, question, signal_id)
      join sample s on s.workspace_id = ${workspaceId} and s.id = g.id
      order by s.id for key share of s
      on conflict (pipeline_id, sample_id) do update
        set question = excluded.question, used_by = excluded.used_by, used_signal = excluded.used_signal,
          first_used_by = coalesce(pipeline_sample.first_used_by, excluded.first_used_by)
    `.execute(tx)
  }
}

/** Those that stand on neither side, and none else. They count nowhere until the next selection. */
export async function markSetAside(
  tx: Tx,
  { workspaceId, pipelineId }: Marked,
  samples: Uint8Array,
): Promise<void> {
  for await (const portion of portionsOf(tx, 'pipeline_sample', pipelineId)) {
    await sql`update pipeline_sample set set_aside = false where ${portion} and set_aside`.execute(
      tx,
    )
  }
  for (const ids of chunksOf(samples)) {
    await sql`
      insert into pipeline_sample (pipeline_id, sample_id, workspace_id, set_aside)
      select ${pipelineId}, s.id, s.workspace_id, true from sample s
      where s.workspace_id = ${workspaceId} and s.id = any(${ids}::uuid[])
      order by s.id for key share of s
      on conflict (pipeline_id, sample_id) do update set set_aside = true
    `.execute(tx)
  }
}

type Using = { pipelineId: string; attemptNo: number }

/**
 * All that the attempt used, also what later attempts have used since. It counts as learned from the moment when the attempt goes live,
 * and never if it does not. What an earlier version learned stays that version's.
 */
export async function markLearned(
  db: Db,
  { pipelineId, attemptNo }: Using,
  signal?: AbortSignal,
): Promise<void> {
  const learn: Change = {
    set: () => sql`learned_by = ${attemptNo}`,
    // What an earlier attempt used last was not used by this one.
    where: sql`first_used_by <= ${attemptNo} and (used_by >= ${attemptNo} or used_by is null)
      and (learned_by is null
        or learned_by <> all(${liveAttempts(pipelineId)} || ${attemptNo}::integer))`,
  }
  await inAllMarks(db, pipelineId, learn, signal)
}

/** What the attempt used is new again. What it held back stays held back. */
export async function takeMarksBack(
  db: Db,
  { pipelineId, attemptNo }: Using,
  signal?: AbortSignal,
): Promise<void> {
  const takeBack: Change = {
    set: (table) => sql`used_by = null, first_used_by = nullif(first_used_by, ${attemptNo})
      ${table === 'pipeline_sample' ? sql`, used_signal = null` : sql``}`,
    where: sql`used_by = ${attemptNo}`,
  }
  await inAllMarks(db, pipelineId, takeBack, signal)
}

type Change = { set: (table: string) => RawBuilder<unknown>; where: RawBuilder<unknown> }

const markTables: MarkTable[] = ['pipeline_sample', 'pipeline_question']

/** Each portion is kept by itself, so that a process that goes on changes only what is left. */
async function inAllMarks(
  db: Db,
  pipelineId: string,
  { set, where }: Change,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const table of markTables) {
    for await (const portion of portionsOf(db, table, pipelineId)) {
      signal?.throwIfAborted()
      await sql`update ${sql.table(table)} set ${set(table)} where ${portion} and ${where}`.execute(
        db,
      )
    }
  }
}

/** All that a deleted pipeline has marked. False where it was stopped before the end. */
export async function removeMarksOf(
  db: Db,
  pipelineId: string,
  isStopped: () => boolean,
): Promise<boolean> {
  for (const table of markTables) {
    for await (const portion of portionsOf(db, table, pipelineId)) {
      if (isStopped()) return false
      await sql`delete from ${sql.table(table)} where ${portion}`.execute(db)
    }
  }
  return true
}

/** How many pipelines have marked each; without those that none has. */
export async function countMarks(
  db: Db,
  sampleIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ sample_id: string; marks: number }>`
    select sample_id, count(*)::integer as marks from pipeline_sample
    where sample_id = any(${sampleIds}::uuid[]) group by sample_id
  `.execute(db)
  return new Map(rows.map(({ sample_id, marks }) => [sample_id, marks]))
}

/** Of all pipelines, with the samples themselves. */
export async function removeMarks(tx: Tx, sampleIds: readonly string[]): Promise<void> {
  await sql`delete from pipeline_sample where sample_id = any(${sampleIds}::uuid[])`.execute(tx)
}

function questionsOf(packed: Uint8Array, chunk: number, length: number): Buffer[] {
  return keysIn(packed, chunk * rowsPerStatement, chunk * rowsPerStatement + length)
}

function chunksOf(packed: Uint8Array): string[][] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  const count = bytes.length / idBytes
  const chunks: string[][] = []
  for (let from = 0; from < count; from += rowsPerStatement) {
    const length = Math.min(rowsPerStatement, count - from)
    chunks.push(Array.from({ length }, (_, index) => idAt(bytes, from + index)))
  }
  return chunks
}
