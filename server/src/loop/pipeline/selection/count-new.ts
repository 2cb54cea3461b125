// Counts what a pipeline could train on, and what of that no attempt has used yet.
import { sql } from 'kysely'
import type { Db } from '../../../storage/open-storage.ts'
import { timeOfId } from '../../../lib/id.ts'
import { type PipelineSelection, selectedSamples } from './selected-samples.ts'

export type NewCounts = {
  /** Good and corrected ones, held-back ones included. */
  usable: number
  /** Of these, those that are not held back and that no attempt has used, or that were corrected since. */
  fresh: number
  /** When the newest feedback that counts came. */
  newestAt: Date | null
}

/** `after`: only feedback that came after this one makes a sample new; null for any. In one statement that may read all of a workspace. */
export async function countNew(
  db: Db,
  pipelineId: string,
  selection: PipelineSelection,
  after: string | null,
): Promise<NewCounts> {
  const { rows } = await sql<{ usable: string; fresh: string; newest: string | null }>`
    select count(*) as usable, max(s.signal_id::text) as newest,
      count(*) filter (
        where m.held_at is null
          and (m.used_by is null or (s.verdict = 'edited' and m.used_signal is distinct from s.signal_id))
          and (${after}::uuid is null or s.signal_id > ${after}::uuid)
      ) as fresh
    from sample s
    left join pipeline_sample m on m.pipeline_id = ${pipelineId} and m.sample_id = s.id
    where (s.verdict = 'edited' or (s.verdict = 'accepted' and s.answered))
      and ${selectedSamples(selection)}
  `.execute(db)
  const [row] = rows
  return {
    usable: Number(row?.usable ?? 0),
    fresh: Number(row?.fresh ?? 0),
    newestAt: row?.newest ? timeOfId(row.newest) : null,
  }
}
