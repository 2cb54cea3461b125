// How many samples a pipeline could train on, by the feedback on them.
import { sql } from 'kysely'
import { newId, timeOfId } from '../../lib/id.ts'
import type { Db } from '../../storage/open-storage.ts'
import { rateDays } from './forecast.ts'
import { type PipelineSelection, selectedSamples } from './selected-samples.ts'

export type UsableCounts = {
  selected: number
  /** Good and corrected ones. What the text of one would say against it is found out when an attempt selects its rows. */
  usable: number
  unreviewed: number
  /** Of the usable ones, those reviewed in the last days, and when the first of all was; the feedback of imports is no review. */
  recent: number
  firstReviewAt: Date | null
  /** When the first usable one came. */
  firstAt: Date | null
  /** How many days the usable ones last, on average; null when there are none. */
  retentionDays: number | null
}

/** In one statement; it may read all that a workspace has, so it is for callers that have a slot for long reads. */
export async function countUsable(db: Db, selection: PipelineSelection): Promise<UsableCounts> {
  const { at } = selection
  const recentFrom = newId(new Date(at.getTime() - rateDays * 86_400_000))
  const usable = sql`(s.verdict = 'edited' or (s.verdict = 'accepted' and s.answered))`
  const reviewed = sql`(${usable} and s.verdict_by <> 'import')`
  const { rows } = await sql<{
    selected: string
    usable: string
    unreviewed: string
    recent: string
    first_review: string | null
    first_at: Date | null
    retention_days: number | null
  }>`
    select count(*) as selected,
      count(*) filter (where ${usable}) as usable,
      count(*) filter (where s.verdict is null and s.answered) as unreviewed,
      count(*) filter (where ${reviewed} and s.signal_id > ${recentFrom}::uuid) as recent,
      min(s.signal_id::text) filter (where ${reviewed}) as first_review,
      min(s.created_at) filter (where ${usable}) as first_at,
      avg(extract(epoch from s.expires_at - s.created_at)::double precision)
        filter (where ${usable}) / 86400 as retention_days
    from sample s where ${selectedSamples(selection)}
  `.execute(db)
  const [row] = rows
  return {
    selected: Number(row?.selected ?? 0),
    usable: Number(row?.usable ?? 0),
    unreviewed: Number(row?.unreviewed ?? 0),
    recent: Number(row?.recent ?? 0),
    firstReviewAt: row?.first_review ? timeOfId(row.first_review) : null,
    firstAt: row?.first_at ?? null,
    retentionDays: row?.retention_days ?? null,
  }
}
