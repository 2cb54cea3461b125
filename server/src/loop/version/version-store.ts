// The tables of versions and of what was live when. Their rows do not change but for the times at which something ended.
import { type Selectable, sql, type Transaction } from 'kysely'
import type { MovedBy } from '#contract/version.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

type Tx = Transaction<Database>
type Reader = Db | Tx

export type VersionRow = Selectable<Database['version']>
export type LiveEntry = Selectable<Database['live_history']>

/** The number of the version that an attempt became; null where it has not gone live. */
export async function findVersionNo(db: Reader, attemptId: string): Promise<number | null> {
  const row = await db
    .selectFrom('version')
    .select('version_no')
    .where('attempt_id', '=', attemptId)
    .executeTakeFirst()
  return row?.version_no ?? null
}

/** For callers that have locked the pipeline. Rows are never deleted, so no number is given twice. */
export async function nextVersionNo(tx: Tx, pipelineId: string): Promise<number> {
  const row = await tx
    .selectFrom('version')
    .select((eb) => eb.fn.max('version_no').as('newest'))
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst()
  return (row?.newest ?? 0) + 1
}

export async function insertVersion(tx: Tx, row: VersionRow): Promise<void> {
  await tx.insertInto('version').values(row).execute()
}

export type LiveMove = {
  pipelineId: string
  /** Null where nothing is live from then on. */
  versionNo: number | null
  at: Date
  movedBy: MovedBy
  userId: string | null
  attemptId: string | null
}

/** For callers that have locked the pipeline. */
export async function moveLive(tx: Tx, move: LiveMove): Promise<void> {
  await endLive(tx, move.pipelineId, move.at)
  const newest = await tx
    .selectFrom('live_history')
    .select((eb) => eb.fn.max('no').as('no'))
    .where('pipeline_id', '=', move.pipelineId)
    .executeTakeFirst()
  await tx
    .insertInto('live_history')
    .values({
      pipeline_id: move.pipelineId,
      no: (newest?.no ?? 0) + 1,
      version_no: move.versionNo,
      live_from: move.at,
      live_until: null,
      moved_by: move.movedBy,
      user_id: move.userId,
      attempt_id: move.attemptId,
    })
    .execute()
}

/** What is live is so no more. */
export async function endLive(tx: Tx, pipelineId: string, at: Date): Promise<void> {
  const ended = await tx
    .updateTable('live_history')
    .set({ live_until: at })
    .where('pipeline_id', '=', pipelineId)
    .where('live_until', 'is', null)
    .returning('version_no')
    .executeTakeFirst()
  const versionNo = ended?.version_no ?? null
  if (versionNo === null) return
  await tx
    .updateTable('version')
    .set({ live_until: at })
    .where('pipeline_id', '=', pipelineId)
    .where('version_no', '=', versionNo)
    .execute()
}

export async function findLiveVersion(db: Reader, pipelineId: string): Promise<VersionRow | null> {
  const row = await db
    .selectFrom('version')
    .innerJoin('live_history', (join) =>
      join
        .onRef('live_history.pipeline_id', '=', 'version.pipeline_id')
        .onRef('live_history.version_no', '=', 'version.version_no'),
    )
    .selectAll('version')
    .where('version.pipeline_id', '=', pipelineId)
    .where('live_history.live_until', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

export async function findVersion(
  db: Reader,
  pipelineId: string,
  versionNo: number,
): Promise<VersionRow | null> {
  const [row] = await listVersions(db, pipelineId, { limit: 1, after: versionNo - 1 })
  return row?.version_no === versionNo ? row : null
}

/** v1 first; `after` is the last number of the page before. */
export async function listVersions(
  db: Reader,
  pipelineId: string,
  page: { limit: number; after: number },
): Promise<VersionRow[]> {
  return db
    .selectFrom('version')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('version_no', '>', page.after)
    .orderBy('version_no')
    .limit(page.limit)
    .execute()
}

/** Newest first; `before` is the last number of the page before. */
export async function listLiveHistory(
  db: Reader,
  pipelineId: string,
  page: { limit: number; before: number | null },
): Promise<LiveEntry[]> {
  let query = db
    .selectFrom('live_history')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .orderBy('no', 'desc')
    .limit(page.limit)
  if (page.before !== null) query = query.where('no', '<', page.before)
  return query.execute()
}

/** How many versions a pipeline has had, and which is live. */
export type Versions = { total: number; live: number | null }

export async function readVersions(db: Reader, pipelineId: string): Promise<Versions> {
  return (await readVersionsOf(db, [pipelineId])).get(pipelineId) ?? { total: 0, live: null }
}

/** Of all of these. */
export async function readVersionsOf(
  db: Reader,
  pipelineIds: readonly string[],
): Promise<ReadonlyMap<string, Versions>> {
  const { rows } = await sql<{ pipeline_id: string; total: number; live: number | null }>`
    select p.id as pipeline_id, (
      select count(*)::integer from version where pipeline_id = p.id
    ) as total, (
      select version_no from live_history where pipeline_id = p.id and live_until is null
    ) as live
    from unnest(${pipelineIds}::uuid[]) as p (id)
  `.execute(db)
  return new Map(rows.map(({ pipeline_id, total, live }) => [pipeline_id, { total, live }]))
}

export type LiveSpan = Pick<VersionRow, 'live_from' | 'live_until'>

/** Of the attempts that went live, since when and until when. */
export async function readLiveSpans(
  db: Reader,
  attemptIds: readonly string[],
): Promise<ReadonlyMap<string, LiveSpan>> {
  if (attemptIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('version')
    .select(['attempt_id', 'live_from', 'live_until'])
    .where('attempt_id', 'in', attemptIds)
    .execute()
  return new Map(rows.map((row) => [row.attempt_id, row]))
}

/** The weights of all versions, unless their pipeline was deleted. */
export async function listNamedByVersions(
  db: Reader,
): Promise<Pick<VersionRow, 'model_revision' | 'adapter' | 'merged'>[]> {
  return db
    .selectFrom('version')
    .innerJoin('pipeline', 'pipeline.id', 'version.pipeline_id')
    .select(['version.model_revision', 'version.adapter', 'version.merged'])
    .where('pipeline.deleted_at', 'is', null)
    .execute()
}
