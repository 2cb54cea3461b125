// What calls used, for people to look at, and what workspaces used of their ceilings this minute. Neither is money.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_record (
      request_id uuid primary key,
      org_id uuid not null,
      workspace_id uuid not null,
      key_id uuid,
      model text not null,
      route text not null,
      outcome text not null check (outcome in ('completed', 'aborted', 'failed')),
      input_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_5m_tokens bigint not null,
      cache_write_1h_tokens bigint not null,
      output_tokens bigint not null,
      thinking_tokens bigint not null,
      cost numeric not null,
      latency_ms integer not null,
      first_token_ms integer,
      created_at timestamptz not null
    );
    create index usage_record_workspace on usage_record (workspace_id, created_at);

    create table rate_window (
      workspace_id uuid not null,
      minute timestamptz not null,
      requests bigint not null,
      tokens bigint not null,
      primary key (workspace_id, minute)
    ) with (fillfactor = 50);

    -- Takes what is wanted of a workspace's minute, or what is left of it.
    create function take_of_minute(
      workspace uuid, at timestamptz, want_requests bigint, want_tokens bigint,
      max_requests bigint, max_tokens bigint
    ) returns table (requests bigint, tokens bigint, all_requests bigint, all_tokens bigint)
      language plpgsql as $$
    declare
      so_far rate_window;
    begin
      insert into rate_window values (workspace, at, 0, 0) on conflict do nothing;
      select * into so_far from rate_window w
        where w.workspace_id = workspace and w.minute = at for update;
      requests := greatest(0, least(want_requests, max_requests - so_far.requests));
      tokens := greatest(0, least(want_tokens, max_tokens - so_far.tokens));
      all_requests := so_far.requests + requests;
      all_tokens := so_far.tokens + tokens;
      update rate_window w set requests = all_requests, tokens = all_tokens
        where w.workspace_id = workspace and w.minute = at;
      return next;
    end $$;
  `.execute(db)
}
