// The table of capture counts: what became of calls that could have been recorded.
import type { CaptureOutcome } from '#contract/capture.ts'
import type { Db, Storage } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export type CaptureCount = {
  workspaceId: string
  source: string
  tag: string
  outcome: CaptureOutcome
  calls: number
  /** Calls that were not recorded. One that is counted under several tags is in one of these sums. */
  missed: number
  at: Date
}

/** Callers can make up tags without end; beyond so many rows a workspace's new ones are counted together. */
const rowsPerWorkspaceMax = 1000

/** The counts of one process that are added together. Each group of a writer has a greater number than the one before. */
export type CountGroup = { writerId: string; number: number; counts: readonly CaptureCount[] }

const addStatement = `
  with unwritten as (
    insert into capture_writer (id, last_group, written_at) values ($8, $9, $10)
    on conflict (id) do update
      set last_group = excluded.last_group, written_at = excluded.written_at
      where capture_writer.last_group < excluded.last_group
    returning id
  ), given as (
    select g.workspace_id, g.source, g.outcome, g.calls, g.missed, g.at,
      case when known.tag is not null or (
        select count(*) from capture_count c where c.workspace_id = g.workspace_id
      ) < ${rowsPerWorkspaceMax} then g.tag else '' end as tag
    from unnest(
      $1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[],
      $7::bigint[]
    ) as g (workspace_id, source, tag, outcome, calls, at, missed)
    cross join unwritten
    left join capture_count known using (workspace_id, source, tag, outcome)
  )
  insert into capture_count (workspace_id, source, tag, outcome, calls, missed, last_at)
  select workspace_id, source, tag, outcome, sum(calls), sum(missed), max(at)
  from given group by workspace_id, source, tag, outcome
  order by workspace_id, source, tag, outcome
  on conflict (workspace_id, source, tag, outcome) do update
    set calls = capture_count.calls + excluded.calls,
      missed = capture_count.missed + excluded.missed,
      last_at = greatest(capture_count.last_at, excluded.last_at)`

/** A group that was added before, and whose writer does not know, changes nothing. */
export async function addCaptureCounts(
  { pool }: Pick<Storage, 'pool'>,
  { writerId, number, counts }: CountGroup,
  at: Date,
): Promise<void> {
  await pool.query('add-capture-counts', addStatement, [
    counts.map((count) => count.workspaceId),
    counts.map((count) => count.source),
    counts.map((count) => count.tag),
    counts.map((count) => count.outcome),
    counts.map((count) => count.calls),
    counts.map((count) => count.at),
    counts.map((count) => count.missed),
    writerId,
    number,
    at,
  ])
}

/** Forgets writers that must have ended: one that still has a group to add tries every few seconds. */
export async function deleteIdleWriters(db: Db, since: Date): Promise<void> {
  await db.deleteFrom('capture_writer').where('written_at', '<', since).execute()
}

export async function readCaptureCounts(
  db: Db,
  workspaceId: string,
): Promise<Database['capture_count'][]> {
  return db
    .selectFrom('capture_count')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('calls', 'desc')
    .orderBy('source')
    .orderBy('tag')
    .orderBy('outcome')
    .execute()
}

export async function readNotRecorded(
  db: Db,
  workspaceId: string,
  tag: string,
): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('capture_count')
    .select((eb) => ['outcome', eb.fn.sum<string>('calls').as('calls')])
    .where('workspace_id', '=', workspaceId)
    .where('tag', '=', tag)
    .where('outcome', '<>', 'recorded')
    .groupBy('outcome')
    .orderBy('outcome')
    .execute()
  return Object.fromEntries(rows.map(({ outcome, calls }) => [outcome, Number(calls)]))
}
