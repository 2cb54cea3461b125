// Wallets, the append-only ledger, and leases: the slice of a wallet that one process may hold inside, in
// memory. A wallet's row is always locked before its leases, and several wallets in order of id, so that
// no two of these functions can wait for each other.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table wallet (
      id uuid primary key references org,
      balance numeric not null check (balance >= 0),
      leased numeric not null check (leased >= 0 and leased <= balance)
    ) with (fillfactor = 50);

    create table wallet_lease (
      id uuid primary key,
      wallet_id uuid not null references wallet,
      process_id uuid not null,
      amount numeric not null check (amount >= 0),
      held numeric not null check (held >= 0),
      expires_at timestamptz not null
    ) with (fillfactor = 50);
    create index wallet_lease_wallet on wallet_lease (wallet_id);

    create table ledger_entry (
      seq bigint generated always as identity primary key,
      id uuid not null unique,
      wallet_id uuid not null references wallet,
      kind text not null check (kind in ('top_up', 'grant', 'charge')),
      amount numeric not null check (amount <> 0 and (amount < 0) = (kind = 'charge')),
      workspace_id uuid,
      key_id uuid,
      request_id uuid unique,
      idempotency_key text,
      detail jsonb not null,
      created_at timestamptz not null,
      check ((kind = 'charge') = (request_id is not null))
    );
    create index ledger_entry_wallet on ledger_entry (wallet_id, seq);
    create unique index ledger_entry_idempotency on ledger_entry (wallet_id, idempotency_key);

    create function refuse_ledger_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the ledger is append-only';
    end $$;
    create trigger ledger_append_only before update or delete or truncate on ledger_entry
      for each statement execute function refuse_ledger_change();
  `.execute(db)

  await sql`
    -- Adds funds, once per idempotency key. Returns nothing when the key was used before.
    create function add_funds(
      entry uuid, the_wallet uuid, the_kind text, the_amount numeric, workspace uuid, key uuid,
      idempotency text, the_detail jsonb, at timestamptz
    ) returns table (balance_after numeric) language plpgsql as $$
    begin
      perform 1 from wallet where id = the_wallet for update;
      insert into ledger_entry
        (id, wallet_id, kind, amount, workspace_id, key_id, idempotency_key, detail, created_at)
      values (entry, the_wallet, the_kind, the_amount, workspace, key, idempotency, the_detail, at)
      on conflict (wallet_id, idempotency_key) do nothing;
      if not found then return; end if;
      return query update wallet set balance = balance + the_amount where id = the_wallet
        returning balance;
    end $$;

    -- Enlarges a lease by what is wanted, or by what is left if that is less. 'lost' means that the lease
    -- had expired and was taken back, so nothing was granted.
    create function enlarge_lease(
      lease uuid, is_new boolean, the_wallet uuid, process uuid, wanted numeric, spare numeric,
      lifetime interval
    ) returns table (granted numeric, others numeric, lost boolean) language plpgsql as $$
    declare
      free numeric;
      grant_now numeric;
    begin
      select w.balance - w.leased into free from wallet w where w.id = the_wallet for update;
      if not found then raise exception 'no wallet %', the_wallet; end if;
      -- Spare room saves trips while funds are plenty; near the end it would only strand them.
      grant_now := least(free, wanted + trunc(least(spare, greatest(free - wanted, 0) / 64)));
      if is_new then
        insert into wallet_lease values
          (lease, the_wallet, process, grant_now, 0, clock_timestamp() + lifetime);
      else
        update wallet_lease set amount = amount + grant_now, expires_at = clock_timestamp() + lifetime
          where id = lease and expires_at > clock_timestamp();
        if not found then
          return query select 0::numeric, 0::numeric, true;
          return;
        end if;
      end if;
      update wallet set leased = leased + grant_now where id = the_wallet;
      return query select grant_now,
        coalesce((select sum(l.amount) from wallet_lease l
          where l.wallet_id = the_wallet and l.process_id <> process), 0),
        false;
    end $$;

    -- Gives back part of a lease, or all of it when the whole is named; an empty lease goes away.
    create function return_lease(lease uuid, the_wallet uuid, part numeric, remove boolean)
      returns boolean language plpgsql as $$
    begin
      perform 1 from wallet where id = the_wallet for update;
      update wallet_lease set amount = amount - part where id = lease;
      if not found then return false; end if;
      update wallet set leased = leased - part where id = the_wallet;
      if remove then delete from wallet_lease where id = lease and amount = 0; end if;
      return true;
    end $$;

    -- Takes back the leases of processes that stopped renewing them, or of all processes.
    create function take_back_leases(of_everyone boolean)
      returns table (lease uuid, the_wallet uuid, process uuid, amount_returned numeric)
      language plpgsql as $$
    declare
      dead record;
    begin
      for dead in
        select id, wallet_id from wallet_lease
          where of_everyone or expires_at <= clock_timestamp() order by wallet_id, id
      loop
        perform 1 from wallet where id = dead.wallet_id for update;
        return query
          with gone as (
            delete from wallet_lease l
              where l.id = dead.id and (of_everyone or l.expires_at <= clock_timestamp())
              returning l.id, l.wallet_id, l.process_id, l.amount
          ), back as (
            update wallet w set leased = w.leased - gone.amount from gone where w.id = gone.wallet_id
          )
          select gone.id, gone.wallet_id, gone.process_id, gone.amount from gone;
      end loop;
    end $$;

    -- Posts a group of charges, each at most once per request id. A charge is paid from its lease; if the
    -- lease was taken back meanwhile, from what is free. What can be paid from neither is not posted: the
    -- balance never goes below zero.
    create function post_charges(
      entries uuid[], wallets uuid[], leases uuid[], amounts numeric[], workspaces uuid[], keys uuid[],
      requests uuid[], details jsonb[], at timestamptz
    ) returns table (unpaid uuid) language plpgsql as $$
    declare
      late record;
    begin
      perform 1 from wallet where id = any(wallets) order by id for update;

      with charge as (
        select * from unnest(entries, wallets, leases, amounts, workspaces, keys, requests, details)
          as c (entry, wallet, lease, amount, workspace, key, request, detail)
        where exists (select 1 from wallet_lease l where l.id = c.lease)
      ), posted as (
        insert into ledger_entry
          (id, wallet_id, kind, amount, workspace_id, key_id, request_id, detail, created_at)
        select entry, wallet, 'charge', -amount, workspace, key, request, detail, at from charge
        on conflict (request_id) do nothing
        returning id
      ), spent as (
        select c.wallet, c.lease, sum(c.amount) as total
          from charge c join posted p on p.id = c.entry group by c.wallet, c.lease
      ), from_lease as (
        update wallet_lease l set amount = l.amount - s.total from spent s where l.id = s.lease
      )
      update wallet w set balance = w.balance - s.total, leased = w.leased - s.total
        from (select wallet, sum(total) as total from spent group by wallet) s where w.id = s.wallet;

      for late in
        select c.* from unnest(entries, wallets, leases, amounts, workspaces, keys, requests, details)
          as c (entry, wallet, lease, amount, workspace, key, request, detail)
        where not exists (select 1 from wallet_lease l where l.id = c.lease)
          and not exists (select 1 from ledger_entry e where e.request_id = c.request)
      loop
        update wallet set balance = balance - late.amount
          where id = late.wallet and balance - leased >= late.amount;
        if found then
          insert into ledger_entry
            (id, wallet_id, kind, amount, workspace_id, key_id, request_id, detail, created_at)
          values (late.entry, late.wallet, 'charge', -late.amount, late.workspace, late.key,
            late.request, late.detail, at);
        else
          unpaid := late.request;
          return next;
        end if;
      end loop;
    end $$;
  `.execute(db)
}
