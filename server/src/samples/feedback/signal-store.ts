// The table of signals: every piece of feedback there was on a sample, and which of it counts.
import { sql, type Transaction } from 'kysely'
import { correctionBytesShownMax, signalsShownMax } from '#contract/limits.ts'
import type { Giver, Signal } from '#contract/sample.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type { SampleRow } from '../sample/sample-store.ts'
import { countsInstead } from './feedback-that-counts.ts'

export type SignalRow = Database['signal']

type Reader = Db | Transaction<Database>

/** Adds to the history of a sample that is locked, and makes it the feedback that counts if it does. Returns the sample after it. */
export async function insertSignal(
  tx: Transaction<Database>,
  sample: SampleRow,
  row: SignalRow,
  tags = sample.tags,
): Promise<SampleRow> {
  await tx.insertInto('signal').values(row).execute()
  const counts = countsInstead(row.given_by as Giver, sample.verdict_by as Giver | null)
  const change = {
    tags,
    ...(counts && {
      verdict: row.verdict,
      verdict_by: row.given_by,
      signal_id: row.id,
      score: row.score,
    }),
  }
  await tx
    .updateTable('sample')
    .set(change)
    .where('workspace_id', '=', sample.workspace_id)
    .where('id', '=', sample.id)
    .execute()
  return { ...sample, ...change }
}

export type ShownSignals = { signals: Signal[]; total: number; correction: string | null }

/** The newest first, as many as an answer has room for, and the correction of the one that counts. */
export async function listSignals(
  db: Reader,
  sampleId: string,
  countingId: string | null,
): Promise<ShownSignals> {
  // Sizes are known without reading the corrections, so those that are not shown cost nothing.
  const { rows } = await sql<SignalRow & { total: string; shown: boolean }>`
    select * from (
      select signal.*, count(*) over () as total,
        row_number() over newest <= ${signalsShownMax} and
          sum(coalesce(octet_length(correction), 0)) over newest <= ${correctionBytesShownMax} as shown
      from signal where sample_id = ${sampleId}
      window newest as (order by id desc)
    ) as known
    where shown or id = ${countingId}
    order by id desc
  `.execute(db)
  return {
    signals: rows.filter(({ shown }) => shown).map(shownSignal),
    total: Number(rows[0]?.total ?? 0),
    correction: rows.find(({ id }) => id === countingId)?.correction ?? null,
  }
}

/** How much feedback a sample has gathered; asked while the sample is locked. */
export async function weighSignals(
  tx: Transaction<Database>,
  sampleId: string,
): Promise<{ signals: number; correctionBytes: number }> {
  const { rows } = await sql<{ signals: string; bytes: string }>`
    select count(*) as signals, coalesce(sum(octet_length(correction)), 0) as bytes
    from signal where sample_id = ${sampleId}
  `.execute(tx)
  return { signals: Number(rows[0]?.signals), correctionBytes: Number(rows[0]?.bytes) }
}

/** By the ids of signals, of those that have a correction. */
export async function readCorrections(
  db: Reader,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; correction: string }>`
    select id, correction from signal where id = any(${ids}::uuid[]) and correction is not null
  `.execute(db)
  return new Map(rows.map(({ id, correction }) => [id, correction]))
}

export function shownSignal(row: SignalRow): Signal {
  return {
    id: row.id,
    sample_id: row.sample_id,
    verdict: row.verdict as Signal['verdict'],
    correction: row.correction,
    given_by: row.given_by as Signal['given_by'],
    gold: row.gold,
    score: row.score,
    user_id: row.user_id,
    key_id: row.key_id,
    created_at: row.created_at.toISOString(),
  }
}

/** Those with feedback after the one of this id. */
export async function listWorkspacesWithNewSignals(db: Db, after: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('signal')
    .select('workspace_id')
    .distinct()
    .where('id', '>', after)
    .execute()
  return new Set(rows.map(({ workspace_id }) => workspace_id))
}
