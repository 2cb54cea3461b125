// How many samples there are, by where they came from and by the feedback that counts on them; a judge's score is no review. Those whose time is over are
// not there, whether they were erased yet or not.
import { sql } from 'kysely'
import type { Origin, Verdict } from '#contract/sample.ts'
import type { Db } from '../../storage/open-storage.ts'

export type FeedbackCounts = Record<Verdict, number> & { total: number; unreviewed: number }
export type SampleCounts = FeedbackCounts & Record<Origin, number>

const reviewed = sql<string | null>`case when verdict_by <> 'judge' then verdict end`

export async function countSamples(db: Db, workspaceId: string, at: Date): Promise<SampleCounts> {
  const rows = await db
    .selectFrom('sample')
    .select(['origin', reviewed.as('reviewed'), sql<string>`count(*)`.as('samples')])
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', at)
    .groupBy(['origin', reviewed])
    .execute()
  const counts = { captured: 0, imported: 0, ...addUp(rows) }
  for (const row of rows) counts[row.origin as Origin] += Number(row.samples)
  return counts
}

export async function countByTag(
  db: Db,
  workspaceId: string,
  tag: string,
  at: Date,
): Promise<FeedbackCounts> {
  const rows = await db
    .selectFrom('sample')
    .select([reviewed.as('reviewed'), sql<string>`count(*)`.as('samples')])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`tags <> '{}' and tags @> array[${tag}]`)
    .where('expires_at', '>', at)
    .groupBy(reviewed)
    .execute()
  return addUp(rows)
}

function addUp(rows: readonly { reviewed: string | null; samples: string }[]): FeedbackCounts {
  const counts = { total: 0, accepted: 0, rejected: 0, edited: 0, unreviewed: 0 }
  for (const row of rows) {
    const samples = Number(row.samples)
    counts.total += samples
    counts[(row.reviewed as Verdict | null) ?? 'unreviewed'] += samples
  }
  return counts
}
