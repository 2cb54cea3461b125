// The only file that names the table of rate windows: what all processes together took of a workspace's minute.
import type { Storage } from '../storage/open-storage.ts'

export type Taken = { requests: number; tokens: number; allRequests: number; allTokens: number }

/** Takes what is wanted, or what is left of it, in one statement. */
export async function takeOfMinute(
  storage: Storage,
  workspaceId: string,
  minute: Date,
  wanted: { requests: number; tokens: number },
  ceilings: { requestsPerMinute: number; tokensPerMinute: number },
): Promise<Taken> {
  const [row] = await storage.pool.query<
    Record<'requests' | 'tokens' | 'all_requests' | 'all_tokens', string>
  >('take_of_minute', 'select * from take_of_minute($1, $2, $3, $4, $5, $6)', [
    workspaceId,
    minute,
    wanted.requests,
    wanted.tokens,
    ceilings.requestsPerMinute,
    ceilings.tokensPerMinute,
  ])
  if (!row) throw new Error('take_of_minute returned nothing')
  return {
    requests: Number(row.requests),
    tokens: Number(row.tokens),
    allRequests: Number(row.all_requests),
    allTokens: Number(row.all_tokens),
  }
}

/** Tokens that were taken and will not be used here. */
export async function returnToMinute(
  storage: Storage,
  workspaceId: string,
  minute: Date,
  tokens: number,
): Promise<void> {
  await storage.pool.query(
    'return_to_minute',
    `update rate_window set tokens = greatest(0, tokens - $3::bigint)
       where workspace_id = $1 and minute = $2`,
    [workspaceId, minute, tokens],
  )
}

export async function deleteOldMinutes(storage: Storage, before: Date): Promise<void> {
  await storage.pool.query('delete_old_minutes', 'delete from rate_window where minute < $1', [
    before,
  ])
}
