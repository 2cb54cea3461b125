// Usage is added up by day, behind the calls, for each of the groups that are asked for: a report of a month reads days and not
// millions of calls. Of durations there are counts, from which the one in the middle is found. `usage_fold` says up to which entry
// of a wallet's ledger its days know, and how many that come after were seen already, so that each is counted once; the entries of
// a wallet are committed in their order, because each is written while the wallet is locked. Calls that cost nothing have no such
// order, and each says itself whether it was added.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_day (
      id bigint generated always as identity primary key,
      workspace_id uuid not null,
      grouping text not null check (grouping in ('day', 'model', 'key')),
      day date not null,
      name text not null,
      calls bigint not null,
      aborted_calls bigint not null,
      failed_calls bigint not null,
      cost numeric not null,
      input_tokens numeric not null,
      cache_read_tokens numeric not null,
      cache_write_5m_tokens numeric not null,
      cache_write_1h_tokens numeric not null,
      output_tokens numeric not null,
      thinking_tokens numeric not null,
      unique (workspace_id, grouping, day, name)
    ) with (fillfactor = 70);

    -- How many calls of a group took so long, in all and until their first token.
    create table usage_day_duration (
      day_id bigint not null references usage_day,
      ms integer not null,
      latencies bigint not null,
      first_tokens bigint not null,
      primary key (day_id, ms)
    ) with (fillfactor = 70);

    create table usage_fold (
      wallet_id uuid primary key,
      seq bigint not null,
      seen_seq bigint not null,
      seen integer not null
    ) with (fillfactor = 70);

    alter table usage_record add column folded boolean not null default false;
    create index usage_record_unfolded on usage_record (workspace_id, created_at) where not folded;

    drop view call_usage;
  `.execute(db)
}
