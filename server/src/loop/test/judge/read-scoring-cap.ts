// Looks up what the scoring of a pipeline's attempts has cost this month.
import { sql } from 'kysely'
import type { App } from '../../../app.ts'
import { type ScoringCap, scoringCap, startOfMonth } from './scoring-cap.ts'

/** A test counts in the month in which it was charged. */
export async function readScoringCap(
  { storage, config }: Pick<App, 'storage' | 'config'>,
  pipelineId: string,
  now: Date,
): Promise<ScoringCap> {
  const { rows } = await sql<{ spent: string | null }>`
    select sum(r.charged) as spent from attempt a join reservation r on r.reference = a.id
    where a.pipeline_id = ${pipelineId} and r.purpose = 'scoring'
      and r.ended_at >= ${startOfMonth(now)}
  `.execute(storage.db)
  return scoringCap({ spent: BigInt(rows[0]?.spent ?? 0), cap: config.scoringCap, now })
}
