// How many samples there are, by where they came from and by the feedback that counts on them. Those whose time is over are
// not there, whether they were erased yet or not.
import { sql } from 'kysely'
import type { Origin, Verdict } from '#contract/sample.ts'
import type { Db } from '../../storage/open-storage.ts'

export type FeedbackCounts = Record<Verdict, number> & { total: number; unreviewed: number }
export type SampleCounts = FeedbackCounts & Record<Origin, number>

export async function countSamples(db: Db, workspaceId: string, at: Date): Promise<SampleCounts> {
  const rows = await db
    .selectFrom('sample')
    .select(['origin', 'verdict', sql<string>`count(*)`.as('samples')])
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', at)
    .groupBy(['origin', 'verdict'])
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
    .select(['verdict', sql<string>`count(*)`.as('samples')])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`tags <> '{}' and tags @> array[${tag}]`)
    .where('expires_at', '>', at)
    .groupBy('verdict')
    .execute()
  return addUp(rows)
}

function addUp(rows: readonly { verdict: string | null; samples: string }[]): FeedbackCounts {
  const counts = { total: 0, accepted: 0, rejected: 0, edited: 0, unreviewed: 0 }
  for (const row of rows) {
    const samples = Number(row.samples)
    counts.total += samples
    counts[(row.verdict as Verdict | null) ?? 'unreviewed'] += samples
  }
  return counts
}
