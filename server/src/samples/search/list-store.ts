// The statements of lists of samples.
import { type RawBuilder, sql } from 'kysely'
import { notSearchedCountMax, sampleCountMax } from '#contract/limits.ts'
import type { Database } from '../../storage/schema.ts'
import { samplesInBuckets } from '../sample/stored-size-store.ts'
import { hasTags, onlyTagOf, selected, type Selection } from './selection.ts'
import type { Snapshot } from './snapshot.ts'

export async function readIds(
  snapshot: Snapshot,
  selection: Selection,
  page: { limit: number; offset: number },
): Promise<string[]> {
  const rows = await snapshot.rows(sql<{ id: string }>`
    select s.id from sample s where ${selected(selection)}
    order by s.id desc limit ${page.limit} offset ${page.offset}
  `)
  return rows.map((row) => row.id)
}

export type Count = { count: number; isMinimum: boolean }

export function countListed(
  snapshot: Snapshot,
  selection: Selection,
  max = sampleCountMax,
): Promise<Count> {
  return countWhere(snapshot, selected(selection), max)
}

/** All of them, however many. */
export async function countToTheEnd(snapshot: Snapshot, selection: Selection): Promise<Count> {
  const [row] = await snapshot.rows(sql<{ count: string }>`
    select count(*) from sample s where ${selected(selection)}
  `)
  return { count: Number(row?.count ?? 0), isMinimum: false }
}

/** Samples whose text is in the workspace's own storage. */
export async function countOutside(snapshot: Snapshot, selection: Selection): Promise<Count> {
  const tag = onlyTagOf(selection)
  if (tag !== null)
    return { count: await countAllOutside(snapshot, selection, tag), isMinimum: false }
  const condition = sql`${selected(selection)} and s.object_key is not null`
  return countWhere(snapshot, condition, notSearchedCountMax)
}

/** From the counts that are kept of what is stored, less those whose time is over and that were not erased yet. */
async function countAllOutside(
  snapshot: Snapshot,
  { workspaceId, at }: Selection,
  tag: string,
): Promise<number> {
  const tagged = tag === '' ? sql`true` : sql`${hasTags} and s.tags @> array[${tag}]`
  const [row] = await snapshot.rows(sql<{ count: string }>`
    select ${samplesInBuckets(workspaceId, tag)} - (
      select count(*) from sample s
      where s.expires_at <= ${at} and s.workspace_id = ${workspaceId}
        and s.object_key is not null and ${tagged}
    ) as count
  `)
  return Number(row?.count ?? 0)
}

async function countWhere(
  snapshot: Snapshot,
  condition: RawBuilder<unknown>,
  max: number,
): Promise<Count> {
  const [row] = await snapshot.rows(sql<{ count: string }>`
    select count(*) from (select 1 from sample s where ${condition} limit ${max + 1}) as counted
  `)
  const count = Number(row?.count ?? 0)
  return { count: Math.min(count, max), isMinimum: count > max }
}

/** A conversation heavier than this has no preview: a page of them would be slow to read for the few words it shows. */
const previewBytesMax = 1024 * 1024

export type ListedRow = Database['sample'] & { conversation: string | null }

/** Newest first. */
export async function readListed(
  snapshot: Snapshot,
  workspaceId: string,
  ids: readonly string[],
): Promise<ListedRow[]> {
  if (ids.length === 0) return []
  return snapshot.rows(sql<ListedRow>`
    select s.*, (
      select t.conversation from sample_text t
      where t.sample_id = s.id and octet_length(t.conversation) <= ${previewBytesMax}
    ) as conversation
    from sample s where s.workspace_id = ${workspaceId} and s.id = any(${ids}::uuid[])
    order by s.id desc
  `)
}
