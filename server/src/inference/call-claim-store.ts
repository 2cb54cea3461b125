// The only file that names the table of claims on places for calls at once.
import type { Storage } from '../storage/open-storage.ts'

/** Claims so many places, or what the other processes leave of the ceiling, and says how many. */
export async function claimPlaces(
  storage: Storage,
  of: { workspaceId: string; processId: string; want: number; ceiling: number; lifeMs: number },
): Promise<number> {
  const [row] = await storage.pool.query<{ places: number }>(
    'claim_call_places',
    'select claim_call_places($1, $2, $3, $4, make_interval(secs => $5)) as places',
    [of.workspaceId, of.processId, of.want, of.ceiling, of.lifeMs / 1000],
  )
  if (!row) throw new Error('claim_call_places returned nothing')
  return row.places
}

/** Lengthens the claims that are still there, and says whose. */
export async function renewClaims(
  storage: Storage,
  of: { processId: string; workspaceIds: readonly string[]; lifeMs: number },
): Promise<Set<string>> {
  const rows = await storage.pool.query<{ workspace_id: string }>(
    'renew_call_claims',
    `update call_claim set expires_at = clock_timestamp() + make_interval(secs => $3)
       where process_id = $1 and workspace_id = any($2::uuid[]) and expires_at > clock_timestamp()
       returning workspace_id`,
    [of.processId, of.workspaceIds, of.lifeMs / 1000],
  )
  return new Set(rows.map((row) => row.workspace_id))
}

export async function dropClaims(
  storage: Storage,
  of: { processId: string; workspaceIds: readonly string[] },
): Promise<void> {
  await storage.pool.query(
    'drop_call_claims',
    'delete from call_claim where process_id = $1 and workspace_id = any($2::uuid[])',
    [of.processId, of.workspaceIds],
  )
}

/** By the clock of the database, which is the one that claims are made with. */
export async function deleteExpiredClaims(storage: Storage): Promise<void> {
  await storage.pool.query(
    'delete_expired_call_claims',
    'delete from call_claim where expires_at < clock_timestamp()',
    [],
  )
}
