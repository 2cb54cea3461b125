// Workspaces' own buckets, the objects that must leave them, how much is stored and where, and what storing costs.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table own_storage (
      id uuid primary key,
      workspace_id uuid not null references workspace (id),
      endpoint text not null,
      region text not null,
      bucket text not null,
      prefix text not null,
      force_path_style boolean not null,
      access_key_id text not null,
      -- Encrypted for this row alone. Null once the workspace disconnected, or nothing is left in the bucket.
      secret bytea,
      -- New samples go here.
      is_default boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check (secret is not null or not is_default)
    );
    create unique index own_storage_default on own_storage (workspace_id) where is_default;
    create unique index own_storage_place on own_storage (workspace_id, endpoint, bucket, prefix);

    -- Objects that must go unless a sample holds them by then: written down before an object is, and when its sample goes.
    create table object_erasure (
      storage_id uuid not null references own_storage (id),
      object_key text not null,
      workspace_id uuid not null,
      sample_id uuid not null,
      tries integer not null,
      -- Null while nobody knows how to reach the bucket.
      due_at timestamptz,
      primary key (storage_id, object_key)
    );
    create index object_erasure_due on object_erasure (due_at) where due_at is not null;
    create index object_erasure_workspace on object_erasure (workspace_id);

    -- A sample that goes takes its other names along.
    create index sample_alias_sample on sample_alias (sample_id);
  `.execute(db)

  await sql`
    -- What is stored, as additions and subtractions that are folded now and then: so that nobody who stores a sample waits
    -- for another who counts one. The empty tag stands for all samples.
    create table sample_storage (
      workspace_id uuid not null,
      tag text not null,
      -- 'platform', or the id of the own_storage that holds them.
      place text not null,
      samples bigint not null,
      bytes bigint not null
    );
    create index sample_storage_of on sample_storage (workspace_id, tag);

    create function count_added_samples() returns trigger language plpgsql as $$
    begin
      insert into sample_storage (workspace_id, tag, place, samples, bytes)
      select s.workspace_id, t.tag,
        coalesce(left(s.object_key, 36), 'platform'), count(*), sum(s.bytes)
      from new_samples s cross join lateral unnest(array_prepend('', s.tags)) t (tag)
      group by 1, 2, 3;
      return null;
    end $$;

    create function count_removed_samples() returns trigger language plpgsql as $$
    begin
      insert into sample_storage (workspace_id, tag, place, samples, bytes)
      select s.workspace_id, t.tag,
        coalesce(left(s.object_key, 36), 'platform'), -count(*), -sum(s.bytes)
      from old_samples s cross join lateral unnest(array_prepend('', s.tags)) t (tag)
      group by 1, 2, 3;
      return null;
    end $$;

    -- Labels come and go; where a text is and what it weighs stays.
    create function count_relabelled_samples() returns trigger language plpgsql as $$
    begin
      insert into sample_storage (workspace_id, tag, place, samples, bytes)
      select s.workspace_id, s.tag,
        coalesce(left(s.object_key, 36), 'platform'),
        sum(s.change), sum(s.change * s.bytes)
      from (
        select n.workspace_id, n.object_key, n.bytes::bigint, t.tag, 1 as change
          from new_samples n join old_samples o using (workspace_id, id)
          cross join lateral unnest(n.tags) t (tag) where n.tags <> o.tags
        union all
        select o.workspace_id, o.object_key, o.bytes::bigint, t.tag, -1
          from old_samples o join new_samples n using (workspace_id, id)
          cross join lateral unnest(o.tags) t (tag) where n.tags <> o.tags
      ) s
      group by 1, 2, 3
      having sum(s.change) <> 0;
      return null;
    end $$;

    create trigger sample_added after insert on sample
      referencing new table as new_samples for each statement execute function count_added_samples();
    create trigger sample_removed after delete on sample
      referencing old table as old_samples for each statement execute function count_removed_samples();
    create trigger sample_relabelled after update on sample
      referencing old table as old_samples new table as new_samples
      for each statement execute function count_relabelled_samples();

    insert into sample_storage (workspace_id, tag, place, samples, bytes)
    select s.workspace_id, t.tag,
      coalesce(left(s.object_key, 36), 'platform'), count(*), sum(s.bytes)
    from sample s cross join lateral unnest(array_prepend('', s.tags)) t (tag)
    group by 1, 2, 3;
  `.execute(db)

  await sql`
    -- One row for each workspace and day that cost something.
    create table storage_day (
      workspace_id uuid not null references workspace (id),
      day date not null,
      bytes bigint not null,
      -- In pico-dollars, for a gigabyte and a month.
      price numeric not null,
      cost numeric not null,
      primary key (workspace_id, day)
    );

    create table storage_bill (
      workspace_id uuid primary key references workspace (id),
      -- The last day that was looked at, and what was stored then.
      day date not null,
      bytes bigint not null,
      -- Pico-dollars of all days, and how much of that went into the ledger.
      accrued numeric not null check (accrued >= charged),
      charged numeric not null check (charged >= 0)
    );
    create index storage_bill_due on storage_bill (workspace_id)
      where accrued - charged >= 10000000000;

    alter table ledger_entry
      drop constraint ledger_entry_kind_check,
      drop constraint ledger_entry_check;
    alter table ledger_entry
      add constraint ledger_entry_kind_check check (kind in ('top_up', 'grant', 'charge', 'storage')),
      add constraint ledger_entry_check
        check (amount <> 0 and (amount < 0) = (kind in ('charge', 'storage')));

    -- Takes what no process has leased, and says whether that covered it. An idempotency key that was used before is an
    -- error, because whoever takes funds knows what it took.
    create function take_funds(
      entry uuid, the_wallet uuid, the_kind text, the_amount numeric, workspace uuid,
      idempotency text, the_detail jsonb, at timestamptz
    ) returns boolean language plpgsql as $$
    begin
      update wallet set balance = balance - the_amount
        where id = the_wallet and balance - leased >= the_amount;
      if not found then return false; end if;
      insert into ledger_entry
        (id, wallet_id, kind, amount, workspace_id, idempotency_key, detail, created_at)
      values (entry, the_wallet, the_kind, -the_amount, workspace, idempotency, the_detail, at);
      return true;
    end $$;
  `.execute(db)
}
