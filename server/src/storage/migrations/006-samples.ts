// Conversations that the loop keeps: what is known of each, its text apart from that, the feedback given on it, and which
// calls become one. Nothing here refers to another table: rows come by the thousand, and go with their workspace's own tasks.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pipeline (
      id uuid primary key,
      workspace_id uuid not null references workspace (id),
      name text not null,
      tag text not null,
      model text not null,
      enabled boolean not null,
      revision integer not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      deleted_at timestamptz
    );
    -- A deleted pipeline keeps its name and its tag.
    create unique index pipeline_name on pipeline (workspace_id, name);
    create unique index pipeline_tag on pipeline (workspace_id, tag);

    create table sample (
      workspace_id uuid not null,
      -- Version 7, so the order of ids is the order of time.
      id uuid not null,
      origin text not null check (origin in ('captured', 'imported')),
      -- The model, deployment or pipeline that was called, or the name an import gave.
      source text not null,
      model text,
      tags text[] not null,
      request_id text,
      import_id text,
      row_key text,
      shape text,
      answered boolean not null,
      -- The feedback that counts now; all of it stands in signal.
      verdict text check (verdict in ('accepted', 'rejected', 'edited')),
      verdict_by text check (verdict_by in ('person', 'import', 'judge')),
      signal_id uuid,
      score real,
      -- Null while the text is in this database; else where in the workspace's own bucket it is.
      object_key text,
      bytes integer not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      primary key (workspace_id, id)
    );
    create unique index sample_request on sample (workspace_id, request_id)
      where request_id is not null;
    create unique index sample_import_row on sample (workspace_id, import_id, row_key)
      where import_id is not null;
    create index sample_tags on sample using gin (tags);
    create index sample_expiry on sample (expires_at);

    create table sample_text (
      sample_id uuid primary key,
      workspace_id uuid not null,
      -- JSON. As text, because it is only ever read whole.
      conversation text not null,
      -- What a search looks at: all that was said, in lower case.
      search_text text not null
    );

    -- Samples whose text no search segment holds yet, or whose segment must forget them.
    create table search_queue (
      workspace_id uuid not null,
      sample_id uuid not null,
      primary key (workspace_id, sample_id)
    );

    -- A call that was repeated under one X-Request-ID named an id of its own before it turned out to be the same.
    create table sample_alias (
      workspace_id uuid not null,
      id uuid not null,
      sample_id uuid not null,
      primary key (workspace_id, id)
    );

    create table signal (
      id uuid primary key,
      workspace_id uuid not null,
      sample_id uuid not null,
      verdict text not null check (verdict in ('accepted', 'rejected', 'edited')),
      correction text,
      given_by text not null check (given_by in ('person', 'import', 'judge')),
      gold boolean not null,
      score real,
      user_id uuid,
      key_id uuid,
      created_at timestamptz not null
    );
    create index signal_sample on signal (sample_id, id);

    create table capture_config (
      workspace_id uuid not null,
      source text not null,
      enabled boolean not null,
      tags text[] not null,
      sample_rate double precision not null,
      retention_days integer,
      updated_at timestamptz not null,
      primary key (workspace_id, source)
    );

    -- Processes remember what is recorded; whoever changes it says which workspace to look up again.
    create function notify_capture_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('capture_changed', coalesce(new.workspace_id, old.workspace_id)::text);
      return null;
    end $$;
    create trigger capture_changed after insert or update or delete on capture_config
      for each row execute function notify_capture_changed();
    create trigger capture_changed after insert or update or delete on pipeline
      for each row execute function notify_capture_changed();

    -- Calls that became a sample, and those that did not, with the reason.
    create table capture_count (
      workspace_id uuid not null,
      source text not null,
      tag text not null,
      outcome text not null,
      calls bigint not null,
      last_at timestamptz not null,
      primary key (workspace_id, source, tag, outcome)
    );

    create table dataset (
      id uuid primary key,
      workspace_id uuid not null references workspace (id),
      name text not null,
      -- The name in lower case: names differ in more than case.
      name_key text not null,
      conditions jsonb not null,
      revision integer not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );
    create unique index dataset_name on dataset (workspace_id, name_key);
  `.execute(db)
}
