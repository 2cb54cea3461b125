// The statements of a search: segments and blocks of the index, and the texts that decide.
import { sql } from 'kysely'
import { mayBeSaid } from '../sample/stored-text.ts'
import type { Block } from './block.ts'
import type { KeyRange } from './gram.ts'
import { idsWithin, isSelected, selected, type Selection } from './selection.ts'
import type { Snapshot } from './snapshot.ts'

export type SearchedSegment = { id: string; lastId: string; samples: number }

/** Newest first; only those that can hold a sample of the time asked for. */
export async function readSearchedSegments(
  snapshot: Snapshot,
  selection: Selection,
): Promise<SearchedSegment[]> {
  const { from, before } = idsWithin(selection)
  return snapshot.rows(sql<SearchedSegment>`
    select id, last_id as "lastId", samples from search_segment
    where workspace_id = ${selection.workspaceId} and last_id >= ${from} and first_id < ${before}
    order by last_id desc
  `)
}

export type FoundBlock = { segment: number; range: number; block: Block }

// The block in which the range begins, and those that begin within it.
const blocksStatement = `
  select segments.nr::integer as segment, ranges.nr::integer as range, b.first_key, b.entries
  from unnest($1::bigint[]) with ordinality as segments (id, nr)
  cross join unnest($2::bigint[], $3::bigint[]) with ordinality as ranges (low, high, nr)
  cross join lateral (
    (
      select first_key, entries from search_block
      where segment_id = segments.id and first_key <= ranges.low
      order by first_key desc limit 1
    )
    union all
    select first_key, entries from search_block
    where ranges.high > ranges.low + 1
      and segment_id = segments.id and first_key > ranges.low and first_key < ranges.high
  ) as b`

/** Blocks that may hold keys of the ranges, with the places of segment and range among those given. */
export async function readBlocks(
  snapshot: Snapshot,
  segments: readonly SearchedSegment[],
  ranges: readonly KeyRange[],
): Promise<FoundBlock[]> {
  const rows = await snapshot.prepared<BlockRow>('read-search-blocks', blocksStatement, [
    segments.map((segment) => segment.id),
    ranges.map((range) => range.from),
    ranges.map((range) => range.to),
  ])
  return rows.map((row) => ({
    segment: row.segment - 1,
    range: row.range - 1,
    block: { firstKey: Number(row.first_key), entries: row.entries },
  }))
}

type BlockRow = { segment: number; range: number; first_key: string; entries: Buffer }

/** A document of a segment that may hold the text. */
export type Candidate = { segmentId: string; doc: number }
export type Hit = { id: string; segmentId: string }

/** Those of the candidates whose text holds what is sought and whose sample is selected. */
export async function checkCandidates(
  snapshot: Snapshot,
  selection: Selection,
  sought: string,
  candidates: readonly Candidate[],
): Promise<Hit[]> {
  return snapshot.rows(sql<Hit>`
    select named.id, named.segment_id as "segmentId"
    from (
      select c.segment_id,
        encode(substring(g.sample_ids from c.doc * 16 + 1 for 16), 'hex')::uuid as id
      from unnest(
        ${candidates.map(({ segmentId }) => segmentId)}::bigint[],
        ${candidates.map(({ doc }) => doc)}::integer[]
      ) as c (segment_id, doc)
      join search_segment g on g.id = c.segment_id
      offset 0
    ) as named
    where ${isSelected(selection, sql`named.id`)} and ${holds(sql`named.id`, sought)}
  `)
}

/** Ids of samples that no segment holds yet, newest first. */
export async function searchQueue(
  snapshot: Snapshot,
  selection: Selection,
  sought: string,
  limit: number,
): Promise<string[]> {
  const { from, before } = idsWithin(selection)
  const rows = await snapshot.rows(sql<{ id: string }>`
    select queued.id from search_queue q cross join unnest(q.sample_ids) as queued (id)
    where q.workspace_id = ${selection.workspaceId}
      and queued.id >= ${from} and queued.id < ${before}
      and ${isSelected(selection, sql`queued.id`)} and ${holds(sql`queued.id`, sought)}
    order by queued.id desc limit ${limit}
  `)
  return rows.map((row) => row.id)
}

/** The next selected samples, newest first, and whether each holds the text: for selections that leave few of many. */
export async function searchSelected(
  snapshot: Snapshot,
  selection: Selection,
  sought: string,
  next: { before: string | null; limit: number },
): Promise<{ id: string; fits: boolean }[]> {
  const older = next.before === null ? sql`true` : sql`s.id < ${next.before}`
  return snapshot.rows(sql<{ id: string; fits: boolean }>`
    select chosen.id, coalesce(${holds(sql`chosen.id`, sought)}, false) as fits
    from (
      select s.id from sample s
      where ${selected(selection)} and s.object_key is null and ${older}
      order by s.id desc limit ${next.limit}
    ) as chosen
    order by chosen.id desc
  `)
}

/** Looks the text up by its sample, whatever the planner thinks of joins. No pattern, so nothing in it is special. */
function holds(sampleId: ReturnType<typeof sql>, sought: string): ReturnType<typeof sql> {
  const searched = mayBeSaid(sought)
    ? sql`searched_text(t.conversation, t.search_text)`
    : sql`t.search_text`
  return sql`strpos((select ${searched} from sample_text t where t.sample_id = ${sampleId}), ${sought}) > 0`
}
