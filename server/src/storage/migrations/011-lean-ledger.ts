// What a call's charge says about the call stands in columns, and its prices once for all charges at them: as JSON in every
// row they cost more than the rest of the charge. No row is checked twice either: a charge is only written beside an update of
// its wallet's row, which is locked and never deleted, and ids are made to be unique.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table price_card (
      id uuid primary key,
      prices jsonb not null
    );

    alter table ledger_entry
      drop constraint ledger_entry_wallet_id_fkey,
      drop constraint ledger_entry_id_key,
      alter column detail drop not null,
      add column model text,
      add column client_request_id text,
      add column input_tokens bigint,
      add column cache_read_tokens bigint,
      add column cache_write_5m_tokens bigint,
      add column cache_write_1h_tokens bigint,
      add column output_tokens bigint,
      add column thinking_tokens bigint,
      add column price_card uuid,
      add constraint ledger_entry_explained check (detail is not null or price_card is not null);

    drop index ledger_entry_idempotency;
    create unique index ledger_entry_idempotency on ledger_entry (wallet_id, idempotency_key)
      where idempotency_key is not null;

    drop function post_charges(
      uuid[], uuid[], uuid[], numeric[], uuid[], uuid[], uuid[], jsonb[], timestamptz
    );
  `.execute(db)

  await sql`
    create or replace function add_funds(
      entry uuid, the_wallet uuid, the_kind text, the_amount numeric, workspace uuid, key uuid,
      idempotency text, the_detail jsonb, at timestamptz
    ) returns table (balance_after numeric) language plpgsql as $$
    begin
      perform 1 from wallet where id = the_wallet for update;
      if not found then raise exception 'no wallet %', the_wallet; end if;
      insert into ledger_entry
        (id, wallet_id, kind, amount, workspace_id, key_id, idempotency_key, detail, created_at)
      values (entry, the_wallet, the_kind, the_amount, workspace, key, idempotency, the_detail, at)
      on conflict (wallet_id, idempotency_key) where idempotency_key is not null do nothing;
      if not found then return; end if;
      return query update wallet set balance = balance + the_amount where id = the_wallet
        returning balance;
    end $$;

    -- Posts a group of charges, each at most once per request id, which is also its own. A charge is paid from its lease; if the lease was taken back
    -- meanwhile, from what is free. What can be paid from neither is not posted: the balance never goes below zero.
    create function post_charges(
      requests uuid[], wallets uuid[], leases uuid[], amounts numeric[], workspaces uuid[], keys uuid[],
      details jsonb[], models text[], client_requests text[], input_counts bigint[],
      cache_read_counts bigint[], write_5m_counts bigint[], write_1h_counts bigint[],
      output_counts bigint[], thinking_counts bigint[], cards uuid[],
      known_cards uuid[], card_prices jsonb[], at timestamptz
    ) returns table (unpaid uuid) language plpgsql as $$
    declare
      -- A lease comes and goes only while its wallet is locked.
      alive uuid[];
      late record;
    begin
      perform 1 from wallet where id = any(wallets) order by id for update;
      alive := array(select id from wallet_lease where id = any(leases));
      insert into price_card select * from unnest(known_cards, card_prices) on conflict do nothing;

      with posted as (
        insert into ledger_entry (
          id, wallet_id, kind, amount, workspace_id, key_id, request_id, detail, model,
          client_request_id, input_tokens, cache_read_tokens, cache_write_5m_tokens,
          cache_write_1h_tokens, output_tokens, thinking_tokens, price_card, created_at
        )
        select request, wallet, 'charge', -amount, workspace, key, request, detail, model,
          client_request, input, cache_read, write_5m, write_1h, output, thinking, card, at
        from unnest(
          requests, wallets, leases, amounts, workspaces, keys, details, models,
          client_requests, input_counts, cache_read_counts, write_5m_counts, write_1h_counts,
          output_counts, thinking_counts, cards
        ) as c (
          request, wallet, lease, amount, workspace, key, detail, model, client_request,
          input, cache_read, write_5m, write_1h, output, thinking, card
        )
        where lease = any(alive)
        on conflict (request_id) do nothing
        returning request_id, wallet_id, amount
      ), spent as (
        select p.wallet_id as wallet, c.lease, -sum(p.amount) as total
        from posted p join unnest(requests, leases) as c (request, lease) on c.request = p.request_id
        group by 1, 2
      ), from_lease as (
        update wallet_lease l set amount = l.amount - s.total from spent s where l.id = s.lease
      )
      update wallet w set balance = w.balance - s.total, leased = w.leased - s.total
        from (select wallet, sum(total) as total from spent group by wallet) s where w.id = s.wallet;

      if leases <@ alive then return; end if;
      for late in
        select * from unnest(
          requests, wallets, leases, amounts, workspaces, keys, details, models,
          client_requests, input_counts, cache_read_counts, write_5m_counts, write_1h_counts,
          output_counts, thinking_counts, cards
        ) as c (
          request, wallet, lease, amount, workspace, key, detail, model, client_request,
          input, cache_read, write_5m, write_1h, output, thinking, card
        )
        where not lease = any(alive)
          and not exists (select 1 from ledger_entry e where e.request_id = request)
      loop
        update wallet set balance = balance - late.amount
          where id = late.wallet and balance - leased >= late.amount;
        if found then
          insert into ledger_entry (
            id, wallet_id, kind, amount, workspace_id, key_id, request_id, detail, model,
            client_request_id, input_tokens, cache_read_tokens, cache_write_5m_tokens,
            cache_write_1h_tokens, output_tokens, thinking_tokens, price_card, created_at
          )
          values (late.request, late.wallet, 'charge', -late.amount, late.workspace, late.key,
            late.request, late.detail, late.model, late.client_request, late.input,
            late.cache_read, late.write_5m, late.write_1h, late.output, late.thinking, late.card, at);
        else
          unpaid := late.request;
          return next;
        end if;
      end loop;
    end $$;
  `.execute(db)
}
