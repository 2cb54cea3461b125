// The tables of the search index as the indexer writes them.
import { sql, type Transaction } from 'kysely'
import type { Db, Storage } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type { Blocks } from './block.ts'
import { isRipe, type Queue, type Ripeness } from './is-ripe.ts'
import { documentsMax } from './segment-size.ts'

/** Workspaces with a queue that is worth it, or with samples to forget that have waited or are all that a segment had. */
export async function findWorkspacesToIndex(
  { db }: Pick<Storage, 'db'>,
  { forgetMs, ...ripeness }: Ripeness & { forgetMs: number },
): Promise<string[]> {
  type Found = { workspace_id: string } & { [Name in keyof Queue]: Queue[Name] | null }
  const { rows } = await sql<Found>`
    with recursive queued (workspace_id) as (
      (select workspace_id from search_queue order by workspace_id limit 1)
      union all
      select (
        select q.workspace_id from search_queue q where q.workspace_id > queued.workspace_id
        order by q.workspace_id limit 1
      ) from queued where queued.workspace_id is not null
    )
    select workspace_id, samples, looked, bytes as "lookedBytes", oldest as "oldestId"
    from queued cross join lateral (
      select sum(cardinality(q.sample_ids))::float8 as samples,
        (array_agg(q.sample_ids[1] order by q.id))[1] as oldest
      from search_queue q where q.workspace_id = queued.workspace_id
    ) waiting cross join lateral (
      select count(*)::float8 as looked, coalesce(sum(w.bytes), 0)::float8 as bytes from (
        select s.bytes from search_queue q cross join unnest(q.sample_ids) as waits (id)
        left join sample s on s.workspace_id = q.workspace_id and s.id = waits.id
        where q.workspace_id = queued.workspace_id limit ${ripeness.queueSamples}
      ) w
    ) first_ones where samples is not null
    union all
    select workspace_id, null, null, null, null from search_segment g
    where forgotten_at is not null and (
      forgotten_at <= clock_timestamp() - make_interval(secs => ${forgetMs / 1000})
      or not exists (
        select 1 from sample s where s.workspace_id = g.workspace_id
        and s.id between g.first_id and g.last_id and s.object_key is null
      )
    )
    group by workspace_id
  `.execute(db)
  const nowMs = Date.now()
  const found = rows.filter((row) => row.samples === null || isRipe(row as Queue, ripeness, nowMs))
  return [...new Set(found.map((row) => row.workspace_id))]
}

export type TextSize = { id: string; bytes: number }

/** Samples that came together and wait together. */
export type Batch = { id: string; samples: TextSize[] }

/** The oldest of the queue, as many as fit into a segment; `bytes` is 0 where there is no text any more. */
export async function readQueue(
  { pool }: Pick<Storage, 'pool'>,
  workspaceId: string,
): Promise<Batch[]> {
  const rows = await pool.query<TextSize & { batch: string }>(
    'read-search-queue',
    `select q.id as batch, waits.id, coalesce(octet_length(coalesce(t.search_text, t.conversation)), 0) as bytes
     from (
       select id, sample_ids, sum(cardinality(sample_ids)) over (order by id) as samples
       from (
         select id, sample_ids from search_queue where workspace_id = $1
         order by id limit ${documentsMax}
       ) as oldest
     ) as q cross join unnest(q.sample_ids) as waits (id)
     left join sample_text t on t.sample_id = waits.id
     where q.samples <= ${documentsMax} order by q.id`,
    [workspaceId],
  )
  const batches: Batch[] = []
  for (const { batch, id, bytes } of rows) {
    if (batches.at(-1)?.id !== batch) batches.push({ id: batch, samples: [] })
    batches.at(-1)?.samples.push({ id, bytes })
  }
  return batches
}

export async function readTextSizes(
  { pool }: Pick<Storage, 'pool'>,
  ids: readonly string[],
): Promise<TextSize[]> {
  return pool.query<TextSize>(
    'read-text-sizes',
    `select sample_id as id, octet_length(coalesce(search_text, conversation)) as bytes from sample_text
     where sample_id = any($1::uuid[]) order by sample_id`,
    [ids],
  )
}

export type SearchText = { id: string; text: string }

export async function readSearchTexts(
  { pool }: Pick<Storage, 'pool'>,
  ids: readonly string[],
): Promise<SearchText[]> {
  return pool.query<SearchText>(
    'read-search-texts',
    `select sample_id as id, searched_text(conversation, search_text) as text from sample_text
     where sample_id = any($1::uuid[]) order by sample_id`,
    [ids],
  )
}

export type Segment = {
  id: string
  samples: number
  characters: number
  /** How long it has held keys of samples that are gone; null when it holds none. */
  forgottenMs: number | null
  /** No sample that was stored in its time is left in the workspace. */
  deserted: boolean
}

/** In the order of time. */
export async function readSegments(
  { pool }: Pick<Storage, 'pool'>,
  workspaceId: string,
): Promise<Segment[]> {
  return pool.query<Segment>(
    'read-search-segments',
    `select id, samples, characters,
       (extract(epoch from clock_timestamp() - forgotten_at) * 1000)::float8 as "forgottenMs",
       forgotten_at is not null and not exists (
         select 1 from sample s where s.workspace_id = g.workspace_id
         and s.id between g.first_id and g.last_id and s.object_key is null
       ) as deserted
     from search_segment g where workspace_id = $1 order by first_id, id`,
    [workspaceId],
  )
}

export async function readSegmentSamples(
  { pool }: Pick<Storage, 'pool'>,
  segmentIds: readonly string[],
): Promise<string[]> {
  const rows = await pool.query<{ sample_ids: Buffer }>(
    'read-segment-samples',
    'select sample_ids from search_segment where id = any($1::bigint[])',
    [segmentIds],
  )
  return rows.flatMap((row) => unpackIds(row.sample_ids))
}

/** Runs the work only if no other process indexes this workspace now; false when one does. */
export async function whileIndexing(
  db: Db,
  workspaceId: string,
  work: () => Promise<boolean>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('indexing ' || ${workspaceId}, 0)) as locked
    `.execute(tx)
    return rows[0]?.locked ? work() : false
  })
}

export type NewSegment = {
  workspaceId: string
  /** In their order, which is that of the documents. */
  sampleIds: readonly string[]
  characters: number
  blocks: Blocks
}

/** What a segment takes the place of. */
export type Replaced = {
  segmentIds: readonly string[]
  batchIds: readonly string[]
  /** The samples of the batches. */
  queuedIds: readonly string[]
}

/**
 * Puts a segment in the place of others, and of batches of the queue. What was deleted since its texts were read
 * is in it still, so it is marked at once. An indexer whose connection broke has lost its turn without knowing it: if another
 * has done the same meanwhile, this changes nothing.
 */
export async function replaceSegments(
  db: Db,
  workspaceId: string,
  replaced: Replaced,
  segment: NewSegment | null,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockSegments(tx, workspaceId)
    if (!(await isStillThere(tx, workspaceId, replaced))) return
    await sql`delete from search_block where segment_id = any(${replaced.segmentIds}::bigint[])`.execute(
      tx,
    )
    await sql`delete from search_segment where id = any(${replaced.segmentIds}::bigint[])`.execute(
      tx,
    )
    await sql`
      delete from search_queue
      where workspace_id = ${workspaceId} and id = any(${replaced.batchIds}::bigint[])
    `.execute(tx)
    if (segment) await insertSegment(tx, segment)
  })
}

/** Whether nobody has replaced the segments, or put the queued samples into one; deleted samples are no longer queued. */
async function isStillThere(
  tx: Transaction<Database>,
  workspaceId: string,
  { segmentIds, batchIds, queuedIds }: Replaced,
): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select not exists (
      select 1 from unnest(${segmentIds}::bigint[]) as s (id)
      where not exists (select 1 from search_segment g where g.id = s.id)
    ) and not exists (
      select t.sample_id from unnest(${queuedIds}::uuid[]) as s (id)
      join sample_text t on t.sample_id = s.id
      except
      select unnest(q.sample_ids) from search_queue q
      where q.workspace_id = ${workspaceId} and q.id = any(${batchIds}::bigint[])
    ) as there
  `.execute(tx)
  return rows[0]?.there ?? false
}

async function insertSegment(tx: Transaction<Database>, segment: NewSegment): Promise<void> {
  const { sampleIds, blocks } = segment
  const { rows } = await sql<{ id: string }>`
    insert into search_segment (
      workspace_id, first_id, last_id, samples, characters, sample_ids, forgotten_at
    )
    select ${segment.workspaceId}, ${sampleIds[0]}, ${sampleIds.at(-1)}, ${sampleIds.length},
      ${segment.characters}, ${packIds(sampleIds)},
      case when count(*) < ${sampleIds.length} then now() end
    from sample_text where sample_id = any(${sampleIds}::uuid[])
    returning id
  `.execute(tx)
  const segmentId = rows[0]?.id
  for (const piece of piecesOf(blocks)) {
    await sql`
      insert into search_block (segment_id, first_key, entries)
      select ${segmentId}, b.key, substring(${piece.bytes}::bytea from b.at for b.size)
      from unnest(${piece.keys}::bigint[], ${piece.starts}::integer[], ${piece.sizes}::integer[])
        as b (key, at, size)
    `.execute(tx)
  }
}

const pieceBytes = 1024 * 1024

type Piece = { keys: number[]; starts: number[]; sizes: number[]; bytes: Buffer }

/** In pieces that are sent one by one, so that no statement is large. */
function* piecesOf({ firstKeys, starts, bytes }: Blocks): Generator<Piece> {
  for (let first = 0; first < firstKeys.length;) {
    const piece: Omit<Piece, 'bytes'> = { keys: [], starts: [], sizes: [] }
    const from = starts[first] as number
    let block = first
    for (; block < firstKeys.length && (starts[block] as number) - from < pieceBytes; block++) {
      const start = starts[block] as number
      piece.keys.push(firstKeys[block] as number)
      piece.starts.push(start - from + 1)
      piece.sizes.push((starts[block + 1] as number) - start)
    }
    const to = starts[block] as number
    yield { ...piece, bytes: Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from) }
    first = block
  }
}

/**
 * Samples that are deleted leave the index with their text: in the transaction that deletes them, what waits to be indexed
 * is dropped, and the segments that hold them are marked, to be built anew without them.
 */
export async function forgetPlaces(
  tx: Transaction<Database>,
  workspaceId: string,
  sampleIds: readonly string[],
): Promise<void> {
  await lockSegments(tx, workspaceId)
  await dropFromQueue(tx, workspaceId, sampleIds)
  await sql`
    update search_segment set forgotten_at = now()
    where workspace_id = ${workspaceId} and forgotten_at is null and exists (
      select 1 from unnest(${sampleIds}::uuid[]) as gone (id) where id between first_id and last_id
    )
  `.execute(tx)
}

/** By joins, which take as long as there are ids; comparing lists takes as long as both lengths multiplied. */
async function dropFromQueue(
  tx: Transaction<Database>,
  workspaceId: string,
  sampleIds: readonly string[],
): Promise<void> {
  await sql`
    update search_queue set sample_ids = array(
      select id from unnest(sample_ids) as waits (id)
      except select id from unnest(${sampleIds}::uuid[]) as gone (id)
    )
    where workspace_id = ${workspaceId} and id in (
      select q.id from search_queue q cross join unnest(q.sample_ids) as waits (id)
      join unnest(${sampleIds}::uuid[]) as gone (id) on gone.id = waits.id
      where q.workspace_id = ${workspaceId}
    )
  `.execute(tx)
  await sql`
    delete from search_queue where workspace_id = ${workspaceId} and sample_ids = '{}'
  `.execute(tx)
}

/**
 * Whoever deletes samples and whoever replaces segments come one after the other: else a segment could be written while
 * nobody sees both it and that a sample of it is gone.
 */
async function lockSegments(tx: Transaction<Database>, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('segments ' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

const idBytes = 16

function packIds(ids: readonly string[]): Buffer {
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex')
}

function unpackIds(packed: Buffer): string[] {
  const ids: string[] = []
  for (let at = 0; at < packed.length; at += idBytes) {
    const hex = packed.toString('hex', at, at + idBytes)
    ids.push(
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    )
  }
  return ids
}
