// The only file that names the table of cached prefixes. One statement each, so a process that dies between two of
// them leaves nothing half done.
import type { Storage } from '../storage/open-storage.ts'
import type { Ttl } from './place-breakpoints.ts'

export type Entry = {
  workspaceId: string
  model: string
  hash: Buffer
  ttl: Ttl
  /** Null while nobody has counted them. */
  tokens: number | null
  expiresAt: Date
}

/** Prefixes of one workspace's prompts on one model, as they were at some time. */
export type EntryQuery = {
  workspaceId: string
  model: string
  hashes: readonly Buffer[]
  at: Date
}

/** What the column holds. A wrong usage report must not take the entries of other calls down with it. */
const tokensMax = 2 ** 31 - 1

/** Spec 1, caching rule 11: counted from the start of the request that wrote or read the entry. */
export function expiryOf(ttl: Ttl, startedAt: Date): Date {
  const minutes = ttl === '1h' ? 60 : 5
  return new Date(startedAt.getTime() + minutes * 60_000)
}

/** Those of the prefixes that are stored and had not expired at that time, in no order. */
export async function findEntries(storage: Storage, of: EntryQuery): Promise<Entry[]> {
  const rows = await storage.pool.query<{
    prefix_hash: Buffer
    ttl: Ttl
    tokens: number | null
    expires_at: Date
  }>(
    'find_prompt_cache_entries',
    `select prefix_hash, ttl, tokens, expires_at from prompt_cache_entry
       where workspace_id = $1 and model = $2 and prefix_hash = any($3::bytea[]) and expires_at > $4`,
    [of.workspaceId, of.model, of.hashes, of.at],
  )
  return rows.map((row) => ({
    workspaceId: of.workspaceId,
    model: of.model,
    hash: row.prefix_hash,
    ttl: row.ttl,
    tokens: row.tokens,
    expiresAt: row.expires_at,
  }))
}

/**
 * Writes entries, each at most once in the list. Over an entry that is there already it can only lengthen a life and
 * tell the tokens, so a repeat is harmless and a hit is refreshed by writing what was found. An entry that has expired
 * meanwhile, and may be gone, comes back: the request that read it began in time.
 */
export async function writeEntries(
  storage: Storage,
  entries: readonly Entry[],
  now: Date,
): Promise<void> {
  await storage.pool.query(
    'write_prompt_cache_entries',
    // In order of the key, so that two processes that write the same entries never wait for each other in a circle.
    `insert into prompt_cache_entry as present
         (workspace_id, model, prefix_hash, ttl, tokens, expires_at)
       select * from unnest(
           $1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::integer[], $6::timestamptz[])
         as written (workspace_id, model, prefix_hash, ttl, tokens, expires_at)
         order by workspace_id, model, prefix_hash
       on conflict (workspace_id, model, prefix_hash) do update set
         ttl = case when present.ttl = '1h' and present.expires_at > $7 then '1h' else excluded.ttl end,
         tokens = coalesce(excluded.tokens, present.tokens),
         expires_at = greatest(present.expires_at, excluded.expires_at)`,
    [
      entries.map(({ workspaceId }) => workspaceId),
      entries.map(({ model }) => model),
      entries.map(({ hash }) => hash),
      entries.map(({ ttl }) => ttl),
      entries.map(({ tokens }) => (tokens === null ? null : Math.min(tokens, tokensMax))),
      entries.map(({ expiresAt }) => expiresAt),
      now,
    ],
  )
}

/** How many were deleted; fewer than the limit means that no more had expired. */
export async function deleteExpired(storage: Storage, now: Date, limit: number): Promise<number> {
  const [row] = await storage.pool.query<{ deleted: number }>(
    'delete_expired_prompt_cache_entries',
    `with expired as (
         select workspace_id, model, prefix_hash from prompt_cache_entry
           where expires_at <= $1 order by expires_at limit $2 for update skip locked
       ), gone as (
         delete from prompt_cache_entry e using expired x
           where e.workspace_id = x.workspace_id and e.model = x.model
             and e.prefix_hash = x.prefix_hash
           returning 1
       )
       select count(*)::integer as deleted from gone`,
    [now, limit],
  )
  return row?.deleted ?? 0
}
