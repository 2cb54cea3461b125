// How much is stored and where. The rows are written by the database itself, whenever samples and corrections come, go or
// change labels; here they are added up and folded.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'

export const platformPlace = 'platform'

export type StoredSize = {
  /** `platform`, or the id of a bucket. */
  place: string
  /** None where only corrections are. */
  samples: number
  bytes: number
}

/** The empty tag stands for all samples of the workspace. */
export async function readSizes(db: Db, workspaceId: string, tag: string): Promise<StoredSize[]> {
  const rows = await db
    .selectFrom('sample_storage')
    .select(({ fn }) => [
      'place',
      fn.sum<string>('samples').as('samples'),
      fn.sum<string>('bytes').as('bytes'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('tag', '=', tag)
    .groupBy('place')
    .execute()
  return rows
    .map(({ place, samples, bytes }) => ({ place, samples: Number(samples), bytes: Number(bytes) }))
    .filter(({ samples, bytes }) => samples > 0 || bytes > 0)
}

/** As part of a statement: how many samples lie in buckets, with this tag, or with the empty one all. */
export function samplesInBuckets(workspaceId: string, tag: string): RawBuilder<unknown> {
  return sql`(
    select coalesce(sum(samples), 0) from sample_storage
    where workspace_id = ${workspaceId} and tag = ${tag} and place <> ${platformPlace}
  )`
}

const foldedAtOnce = 10_000

/** Makes one row of those that came and of what was folded before; what comes meanwhile is folded next time. */
export async function foldSizes(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // One at a time, each seeing what the last one left: else two could leave a row each, and nobody would fold these.
    await sql`select pg_advisory_xact_lock(hashtextextended('folding sizes', 0))`.execute(tx)
    await sql`
      with many as (
        select distinct workspace_id, tag, place from sample_storage
        where not folded limit ${foldedAtOnce}
      ), gone as (
        delete from sample_storage s using many m
        where s.workspace_id = m.workspace_id and s.tag = m.tag and s.place = m.place
        returning s.workspace_id, s.tag, s.place, s.samples, s.bytes
      )
      insert into sample_storage (workspace_id, tag, place, samples, bytes, folded)
      select workspace_id, tag, place, sum(samples), sum(bytes), true from gone
      group by workspace_id, tag, place
      having sum(samples) <> 0 or sum(bytes) <> 0
    `.execute(tx)
  })
}
