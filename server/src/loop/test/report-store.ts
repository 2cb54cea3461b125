// Which tested samples a page of the report shows.
import { type RawBuilder, sql } from 'kysely'
import type { ReportFilter } from '#contract/report.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { TestedRow } from './test-tables.ts'
import { passingScore } from './verdict/pass-rates.ts'

export type ReportPage = {
  filter: ReportFilter | null
  /** Folded as searches fold what they look for. */
  sought: string | null
  limit: number
  offset: number
}

/** The tested samples of one page of the report, and how many there are. */
export async function listReported(
  db: Db,
  attemptId: string,
  { filter, sought, limit, offset }: ReportPage,
): Promise<{ rows: TestedRow[]; total: number }> {
  const { rows } = await sql<TestedRow & { total: string }>`
    select t.*, count(*) over () as total from tested_sample t
    where t.attempt_id = ${attemptId}
      and ${filter === null ? sql`true` : filters[filter]}
      and ${sought === null ? sql`true` : says(sought)}
    order by t.no limit ${limit} offset ${offset}
  `.execute(db)
  return { rows, total: Number(rows[0]?.total ?? 0) }
}

/** Tested samples in the workspace's own bucket, whose texts cannot be searched. */
export async function countKeptElsewhere(db: Db, attemptId: string): Promise<number> {
  const { rows } = await sql<{ samples: string }>`
    select count(*) as samples from tested_sample t
    join attempt a on a.id = t.attempt_id
    join sample s on s.workspace_id = a.workspace_id and s.id = t.sample_id
    where t.attempt_id = ${attemptId} and s.object_key is not null
  `.execute(db)
  return Number(rows[0]!.samples)
}

const filters: Record<ReportFilter, RawBuilder<unknown>> = {
  better: sql`t.outcome = 'win'`,
  worse: sql`t.outcome = 'loss'`,
  flipped_to_fail: sql`t.live_score >= ${passingScore} and t.score < ${passingScore}`,
  unscored: sql`t.outcome in ('unscored', 'missing')`,
}

/** In the conversation, in a correction, or in an answer, which lies there as JSON. */
function says(sought: string): RawBuilder<unknown> {
  const inJson = JSON.stringify(sought).slice(1, -1)
  return sql`(
    exists (select from sample_text x where x.sample_id = t.sample_id
      and position(${sought} in searched_text(x.conversation, x.search_text)) > 0)
    or exists (select from signal g where g.id = t.signal_id
      and position(${sought} in lower(g.correction)) > 0)
    or exists (select from test_answer a where a.attempt_id = t.attempt_id
      and a.sample_id = t.sample_id and position(${inJson} in lower(a.answer)) > 0)
  )`
}
