// Counts what a pipeline could train on, and what of that is held back, not learned or not used yet. What stands on neither
// side is not counted.
import { sql } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import { newId, timeOfId } from '../../lib/id.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { soonDays } from './forecast.ts'
import { liveAttempts } from './live-attempts.ts'
import type { SampleCounts } from './minimums.ts'
import { type PipelineSelection, selectedSamples } from './selected-samples.ts'

export type NewCounts = SampleCounts & {
  /** Of those held back, how many will not have expired soon. */
  heldBackLasting: number
  /** When the newest feedback that counts came. */
  newestAt: Date | null
}

/** `after`: only feedback that came after this one makes a sample unused; null for any. In one statement that may read all of a workspace. */
export async function countNew(
  db: Db,
  { id: pipelineId, shortfall }: Pick<PipelineRow, 'id' | 'shortfall'>,
  selection: PipelineSelection,
  after: string | null,
): Promise<NewCounts> {
  const since = shortfall && newId(new Date(shortfall.at))
  const corrected = sql`(s.verdict = 'edited' and m.used_signal is distinct from s.signal_id)`
  const isLearned = sql`coalesce(m.learned_by = any(${liveAttempts(pipelineId)}), false)`
  const soon = new Date(selection.at.getTime() + soonDays * 86_400_000)
  const { rows } = await sql<{
    usable: string
    held_back: string
    lasting: string
    unlearned: string
    unused: string
    arrived: string
    newest: string | null
  }>`
    select count(*) as usable, max(s.signal_id::text) as newest,
      count(*) filter (where m.held_at is not null) as held_back,
      count(*) filter (where m.held_at is not null and s.expires_at > ${soon}) as lasting,
      count(*) filter (
        where m.held_at is null and (not ${isLearned} or ${corrected})
      ) as unlearned,
      count(*) filter (
        where m.held_at is null and (m.used_by is null or ${corrected})
          and (${after}::uuid is null or s.signal_id > ${after}::uuid)
      ) as unused,
      count(*) filter (where m.held_at is null and s.signal_id > ${since}::uuid) as arrived
    from sample s
    left join pipeline_sample m on m.pipeline_id = ${pipelineId} and m.sample_id = s.id
    where (s.verdict = 'edited' or (s.verdict = 'accepted' and s.answered))
      and not coalesce(m.set_aside, false) and ${selectedSamples(selection)}
  `.execute(db)
  const [row] = rows
  return {
    usable: Number(row?.usable ?? 0),
    heldBack: Number(row?.held_back ?? 0),
    heldBackLasting: Number(row?.lasting ?? 0),
    unlearned: Number(row?.unlearned ?? 0),
    unused: Number(row?.unused ?? 0),
    arrived: Number(row?.arrived ?? 0),
    newestAt: row?.newest ? timeOfId(row.newest) : null,
  }
}
