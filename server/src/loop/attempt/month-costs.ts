// Looks up what the attempts of a pipeline have cost this month, and what that leaves for their tests.
import { sql } from 'kysely'
import type { App } from '../../app.ts'
import type { Picodollars } from '../../lib/money.ts'
import { type ScoringCap, scoringCap, startOfMonth } from '../test/judge/scoring-cap.ts'

export type MonthCosts = ScoringCap & {
  /** For any of their work, with what is still reserved for it. */
  spent: Picodollars
  now: Date
}

/** What was charged counts in the month in which it was. */
export async function readMonthCosts(
  { storage, config, clock }: Pick<App, 'storage' | 'config' | 'clock'>,
  pipelineId: string,
): Promise<MonthCosts> {
  const now = clock.now()
  const { rows } = await sql<{ spent: string | null; scored: string | null }>`
    select sum(coalesce(r.charged, r.amount)) as spent,
      sum(r.charged) filter (where r.purpose in ('scoring', 'retest')) as scored
    from attempt a join reservation r on r.reference = a.id
    where a.pipeline_id = ${pipelineId}
      and (r.ended_at is null or r.ended_at >= ${startOfMonth(now)})
  `.execute(storage.db)
  const scored = BigInt(rows[0]?.scored ?? 0)
  const cap = scoringCap({ spent: scored, cap: config.scoringCap, now })
  return { ...cap, spent: BigInt(rows[0]?.spent ?? 0), now }
}
