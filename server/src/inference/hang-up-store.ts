// The only file that names the table of calls that were hung up on.
import type { Storage } from '../storage/open-storage.ts'

export type HangUps = {
  aborted: number
  completed: number
  /** In pico-dollars, about what was read of the aborted and of the completed is worth where nothing is cached. */
  unpaid: number
  paid: number
}

export const noHangUps: Readonly<HangUps> = { aborted: 0, completed: 0, unpaid: 0, paid: 0 }

export type Exchange = {
  processId: string
  windowStart: Date
  /** By workspace, since the window began. Whole counts and no increments, so that telling them again does no harm. */
  told: ReadonlyMap<string, HangUps>
  /** Of which to hear what all other processes counted. */
  workspaceIds: readonly string[]
}

export async function exchangeHangUps(
  storage: Storage,
  of: Exchange,
): Promise<Map<string, HangUps>> {
  const counts = [...of.told.values()]
  const rows = await storage.pool.query<{ workspace_id: string } & Record<keyof HangUps, string>>(
    'exchange_hang_ups',
    `with told as (
       insert into hang_up_count
           (process_id, window_start, workspace_id, aborted, completed, unpaid, paid)
         select $1, $2, *
           from unnest($3::uuid[], $4::integer[], $5::integer[], $6::float8[], $7::float8[])
         on conflict (workspace_id, window_start, process_id)
         do update set aborted = excluded.aborted, completed = excluded.completed,
           unpaid = excluded.unpaid, paid = excluded.paid
     )
     select workspace_id, sum(aborted) as aborted, sum(completed) as completed,
         sum(unpaid) as unpaid, sum(paid) as paid
       from hang_up_count
       where workspace_id = any($8::uuid[]) and window_start = $2 and process_id <> $1
       group by workspace_id`,
    [
      of.processId,
      of.windowStart,
      [...of.told.keys()],
      counts.map(({ aborted }) => aborted),
      counts.map(({ completed }) => completed),
      counts.map(({ unpaid }) => unpaid),
      counts.map(({ paid }) => paid),
      of.workspaceIds,
    ],
  )
  return new Map(
    rows.map(({ workspace_id, aborted, completed, unpaid, paid }) => [
      workspace_id,
      {
        aborted: Number(aborted),
        completed: Number(completed),
        unpaid: Number(unpaid),
        paid: Number(paid),
      },
    ]),
  )
}

export async function deleteOldHangUps(storage: Storage, before: Date): Promise<void> {
  await storage.pool.query(
    'delete_old_hang_ups',
    'delete from hang_up_count where window_start < $1',
    [before],
  )
}
