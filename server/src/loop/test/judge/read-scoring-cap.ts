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
  const row = await storage.db
    .selectFrom('attempt')
    .innerJoin('reservation', 'reservation.reference', 'attempt.id')
    .select(sql<string | null>`sum(reservation.charged)`.as('spent'))
    .where('attempt.pipeline_id', '=', pipelineId)
    .where('reservation.purpose', '=', 'scoring')
    .where('reservation.ended_at', '>=', startOfMonth(now))
    .executeTakeFirst()
  return scoringCap({ spent: BigInt(row?.spent ?? 0), cap: config.scoringCap, now })
}
