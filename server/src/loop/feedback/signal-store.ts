// The table of signals: every piece of feedback there was on a sample, and which of it counts.
import type { Transaction } from 'kysely'
import type { Signal } from '#contract/sample.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export type SignalRow = Database['signal']

type Reader = Db | Transaction<Database>

/** Adds to the history and makes it the feedback that counts: the newest of a person does. */
export async function insertSignal(
  tx: Transaction<Database>,
  row: SignalRow,
  tags: string[],
): Promise<void> {
  await tx.insertInto('signal').values(row).execute()
  await tx
    .updateTable('sample')
    .set({ verdict: row.verdict, verdict_by: row.given_by, signal_id: row.id, tags })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.sample_id)
    .execute()
}

/** Oldest first. */
export async function listSignals(db: Reader, sampleId: string): Promise<Signal[]> {
  const rows = await db
    .selectFrom('signal')
    .selectAll()
    .where('sample_id', '=', sampleId)
    .orderBy('id')
    .execute()
  return rows.map(shownSignal)
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
