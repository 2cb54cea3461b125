// The prefixes of prompts that are billed as cached. Rows live for minutes and are written by every process, so there
// is no reference to the workspace: it would lock that row at each write, for nothing that matters here.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table prompt_cache_entry (
      workspace_id uuid not null,
      model text not null,
      prefix_hash bytea not null check (length(prefix_hash) = 32),
      ttl text not null check (ttl in ('5m', '1h')),
      -- Unknown until the call that wrote the entry has ended.
      tokens integer check (tokens >= 0),
      expires_at timestamptz not null,
      primary key (workspace_id, model, prefix_hash)
    ) with (fillfactor = 70);
    create index prompt_cache_entry_expiry on prompt_cache_entry (expires_at);
  `.execute(db)
}
