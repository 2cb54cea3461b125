-- All tables of Hone, with their indexes, functions and triggers, as a fresh database has them. The migrator applies this file as
-- its first migration.
--
-- Most ids are UUIDs of version 7, whose order is the order of time. Amounts of money are in pico-dollars. Rows of tables with a
-- fill factor are updated often: with free space on their page, PostgreSQL does that without a change of their indexes.


-- Accounts
--
-- Every change that can alter what a credential may do notifies all processes, because they cache what they looked up.

-- An organization: it owns workspaces and one wallet.
create table org (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null
);

-- A workspace of an organization: keys, calls and samples belong to one.
create table workspace (
  id uuid primary key,
  org_id uuid not null references org,
  name text not null,
  created_at timestamptz not null
);
-- Names differ in more than case.
create unique index workspace_name on workspace (org_id, lower(name));
create index workspace_org on workspace (org_id, id);

-- A person who can sign in.
create table person (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null
);
create unique index person_email on person (lower(email));

-- The role of a person in an organization.
create table member (
  org_id uuid not null references org,
  user_id uuid not null references person,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer', 'billing')),
  -- False: only the workspaces that workspace_member names.
  all_workspaces boolean not null,
  created_at timestamptz not null,
  primary key (org_id, user_id)
);
create index member_user on member (user_id);

-- A workspace that a person may use, where their membership does not include all of them.
create table workspace_member (
  workspace_id uuid not null references workspace,
  user_id uuid not null references person,
  primary key (workspace_id, user_id)
);
create index workspace_member_user on workspace_member (user_id);

-- A person's sign-in, until it expires or is revoked.
create table session (
  id uuid primary key,
  user_id uuid not null references person,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index session_person on session (user_id);

-- An API key of a workspace, which a member created or Hone did for a pipeline's tests. The key itself is not stored: it is found by
-- its hash.
create table api_key (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  created_by uuid references person,
  -- Of a scoring key, which authenticates no request.
  pipeline_id uuid,
  name text not null,
  secret_hash bytea not null unique,
  -- The first characters of the key, for lists.
  prefix text not null,
  scopes text[] not null,
  scope_preset text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint api_key_owner check ((created_by is null) <> (pipeline_id is null))
);
create index api_key_workspace on api_key (workspace_id, id);
create index api_key_pipeline on api_key (pipeline_id) where pipeline_id is not null;
-- A pipeline has one scoring key at a time.
create unique index api_key_scoring on api_key (pipeline_id)
  where pipeline_id is not null and revoked_at is null;

-- A failed sign-in of the last minute, which counts against the limits per address and per account. The row is written before
-- the password is checked, so that many tries at once cannot pass the limit, and deleted when the password was right.
create table login_try (
  id uuid primary key,
  address text not null,
  account text not null,
  created_at timestamptz not null
);
create index login_try_address on login_try (address, created_at);
create index login_try_account on login_try (account, created_at);

-- An entry of an organization's audit log: who changed what.
create table audit_event (
  id uuid primary key,
  org_id uuid not null references org,
  workspace_id uuid,
  user_id uuid,
  key_id uuid,
  action text not null,
  target_id text,
  detail jsonb not null,
  created_at timestamptz not null
);
create index audit_event_org on audit_event (org_id, id);
-- For readers who see only some workspaces.
create index audit_event_workspace on audit_event (workspace_id, id);

create function notify_accounts_changed() returns trigger language plpgsql as $$
begin
  notify accounts_changed;
  return null;
end $$;

-- Inserts need no notification: refusals are not cached, so a new row cannot contradict what a process remembers.
create trigger accounts_changed after update or delete on org
  for each statement execute function notify_accounts_changed();
create trigger accounts_changed after update or delete on workspace
  for each statement execute function notify_accounts_changed();
create trigger accounts_changed after update or delete on person
  for each statement execute function notify_accounts_changed();
create trigger accounts_changed after update or delete on member
  for each statement execute function notify_accounts_changed();
create trigger accounts_changed after update or delete on workspace_member
  for each statement execute function notify_accounts_changed();
create trigger accounts_changed after update or delete on session
  for each statement execute function notify_accounts_changed();
create trigger accounts_changed after update or delete on api_key
  for each statement execute function notify_accounts_changed();


-- Wallet
--
-- All functions lock the row of a wallet before its leases, and several wallets in order of id, so that no two of them can wait
-- for each other.

-- The funds of an organization: its balance, how much of that is leased to processes, and how much is reserved for jobs. The rest
-- is free.
create table wallet (
  id uuid primary key references org,
  balance numeric not null check (balance >= 0),
  leased numeric not null check (leased >= 0),
  reserved numeric not null check (reserved >= 0),
  constraint wallet_covers check (balance >= leased + reserved)
) with (fillfactor = 50);

-- Part of a wallet's balance that one process may spend. The process holds the cost of its calls against it in memory. A lease
-- that its process does not renew expires, and its amount goes back to the wallet.
create table wallet_lease (
  id uuid primary key,
  wallet_id uuid not null references wallet,
  process_id uuid not null,
  amount numeric not null check (amount >= 0),
  -- What the process's calls held when it last renewed the lease.
  held numeric not null check (held >= 0),
  expires_at timestamptz not null,
  -- Changes of a lease are numbered, so that one whose answer was lost can be sent again and is made once: the last one is
  -- answered with what it granted, and an older one that arrives late does nothing.
  step integer not null default 0,
  last_granted numeric not null default 0
) with (fillfactor = 50);
create index wallet_lease_wallet on wallet_lease (wallet_id);

-- Funds that a job of hours reserves before it begins. A reservation belongs to no process and never expires: it is open until the
-- job is charged, which frees the rest.
create table reservation (
  -- Also the id of the ledger entry of its charge.
  id uuid primary key,
  wallet_id uuid not null references wallet,
  workspace_id uuid not null references workspace,
  purpose text not null check (purpose in ('training', 'serving', 'scoring', 'retest')),
  -- The attempt that the money is for.
  reference uuid not null,
  amount numeric not null check (amount > 0),
  -- Null while it is open. Zero where it ended without a charge.
  charged numeric check (charged >= 0 and charged <= amount),
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (reference, purpose),
  check ((charged is null) = (ended_at is null))
);
create index reservation_open on reservation (wallet_id) where ended_at is null;

-- The prices that a charge was computed from. One row serves all charges at these prices: as JSON in each row they would cost
-- more than the rest of the charge.
create table price_card (
  id uuid primary key,
  prices jsonb not null
);

-- One change of a wallet's balance. Rows are never changed. The charge of a call also says what the call used and how long it
-- took, in columns: a second row for the statistics would cost as much as the charge.
--
-- No row is checked twice, so neither id nor wallet_id has a constraint: ids are made to be unique, and an entry is only written
-- beside an update of its wallet's row, which is locked and never deleted.
create table ledger_entry (
  -- The entries of a wallet are committed in this order, because each is written while the wallet is locked.
  seq bigint generated always as identity primary key,
  id uuid not null,
  wallet_id uuid not null,
  kind text not null
    check (kind in
      ('top_up', 'grant', 'charge', 'storage', 'training', 'serving', 'scoring', 'retest')),
  -- Negative for what is charged.
  amount numeric not null
    check (amount <> 0 and (amount < 0) = (kind not in ('top_up', 'grant'))),
  workspace_id uuid,
  key_id uuid,
  -- The call that is charged. Unique, so that each call is charged once.
  request_id uuid unique,
  idempotency_key text,
  -- Null for the charge of a call, which the columns after it explain.
  detail jsonb,
  created_at timestamptz not null,
  model text,
  -- The X-Request-ID that the client sent.
  client_request_id text,
  input_tokens bigint,
  cache_read_tokens bigint,
  cache_write_5m_tokens bigint,
  cache_write_1h_tokens bigint,
  output_tokens bigint,
  thinking_tokens bigint,
  price_card uuid,
  route text,
  -- Null for entries that are not the charge of a call.
  latency_ms integer,
  first_token_ms integer,
  check ((kind = 'charge') = (request_id is not null)),
  constraint ledger_entry_explained check (detail is not null or price_card is not null)
);
create unique index ledger_entry_idempotency on ledger_entry (wallet_id, idempotency_key)
  where idempotency_key is not null;
-- Lists show entries in the order in which they were made, even if the clock was set back.
create index ledger_entry_order on ledger_entry (wallet_id, seq);
-- Usage of one workspace is read without the calls of all others of the organization.
create index ledger_entry_usage on ledger_entry (workspace_id, created_at)
  where latency_ms is not null;

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger ledger_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_ledger_change();

-- Adds funds, once per idempotency key. Returns nothing when the key was used before.
create function add_funds(
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

-- Takes funds that are free, and returns whether there were enough. An idempotency key that was used before is an error,
-- because the caller keeps count of what it has taken.
create function take_funds(
  entry uuid, the_wallet uuid, the_kind text, the_amount numeric, workspace uuid,
  idempotency text, the_detail jsonb, at timestamptz
) returns boolean language plpgsql as $$
begin
  update wallet set balance = balance - the_amount
    where id = the_wallet and balance - leased - reserved >= the_amount;
  if not found then return false; end if;
  insert into ledger_entry
    (id, wallet_id, kind, amount, workspace_id, idempotency_key, detail, created_at)
  values (entry, the_wallet, the_kind, -the_amount, workspace, idempotency, the_detail, at);
  return true;
end $$;

-- Reserves free funds for a job, once per reference and purpose: a repeated call finds what the first one reserved. 'ended' means
-- that it was charged or released since; 'short' comes with the amount that is missing, and with what is leased.
create function reserve_funds(
  reservation_id uuid, the_wallet uuid, workspace uuid, the_purpose text, the_reference uuid,
  the_amount numeric, at timestamptz
) returns table (outcome text, missing numeric, in_leases numeric) language plpgsql as $$
declare
  funds record;
  known reservation;
begin
  select w.balance - w.leased - w.reserved as free, w.leased into funds
    from wallet w where w.id = the_wallet for update;
  if not found then raise exception 'no wallet %', the_wallet; end if;
  select * into known from reservation r
    where r.reference = the_reference and r.purpose = the_purpose;
  if found then
    if known.wallet_id <> the_wallet or known.workspace_id <> workspace
        or known.amount < the_amount then
      raise exception '% of % has reserved % for workspace %, and not %',
        the_purpose, the_reference, known.amount, known.workspace_id, the_amount;
    end if;
    outcome := case when known.ended_at is null then 'reserved' else 'ended' end;
  elsif funds.free < the_amount then
    outcome := 'short';
  else
    insert into reservation
      (id, wallet_id, workspace_id, purpose, reference, amount, created_at)
    values (reservation_id, the_wallet, workspace, the_purpose, the_reference, the_amount, at);
    update wallet set reserved = reserved + the_amount where id = the_wallet;
    outcome := 'reserved';
  end if;
  return query select outcome, greatest(the_amount - funds.free, 0), funds.leased;
end $$;

-- Ends a reservation: charges at most what it reserved, and frees the rest. Returns what was charged when it first ended, and null
-- where nothing was reserved.
create function end_reservation(
  the_purpose text, the_reference uuid, charge numeric, the_detail jsonb, at timestamptz
) returns numeric language plpgsql as $$
declare
  known reservation;
begin
  perform 1 from wallet where id = (
    select wallet_id from reservation where reference = the_reference and purpose = the_purpose
  ) for update;
  select * into known from reservation
    where reference = the_reference and purpose = the_purpose;
  if not found or known.ended_at is not null then return known.charged; end if;
  if charge > known.amount then
    raise exception '% of % has reserved %, and not %',
      the_purpose, the_reference, known.amount, charge;
  end if;
  update reservation set charged = charge, ended_at = at where id = known.id;
  update wallet set balance = balance - charge, reserved = reserved - known.amount
    where id = known.wallet_id;
  if charge > 0 then
    insert into ledger_entry (id, wallet_id, kind, amount, workspace_id, detail, created_at)
    values (known.id, known.wallet_id, the_purpose, -charge, known.workspace_id, the_detail, at);
  end if;
  return charge;
end $$;

-- Enlarges a lease by what is wanted, or by what is free if that is less; its first step makes it. 'lost' means that the lease
-- had expired or was removed, so nothing was granted.
create function enlarge_lease(
  lease uuid, the_step integer, the_wallet uuid, process uuid, wanted numeric, spare numeric,
  lifetime interval
) returns table (granted numeric, others numeric, lost boolean) language plpgsql as $$
declare
  free numeric;
  here record;
  grant_now numeric;
begin
  select w.balance - w.leased - w.reserved into free
    from wallet w where w.id = the_wallet for update;
  if not found then raise exception 'no wallet %', the_wallet; end if;
  select l.step, l.last_granted, l.expires_at > clock_timestamp() as alive into here
    from wallet_lease l where l.id = lease;
  if (found and not here.alive) or (not found and the_step > 1) then
    return query select 0::numeric, 0::numeric, true;
    return;
  end if;
  if found and here.step >= the_step then
    grant_now := here.last_granted;
    update wallet_lease set expires_at = clock_timestamp() + lifetime where id = lease;
  else
    -- A spare amount saves later requests while funds are plenty; near the end it would only block them for others.
    grant_now := least(free, wanted + trunc(least(spare, greatest(free - wanted, 0) / 64)));
    insert into wallet_lease as l
        (id, wallet_id, process_id, amount, held, expires_at, step, last_granted)
      values (lease, the_wallet, process, grant_now, 0, clock_timestamp() + lifetime, the_step, grant_now)
      on conflict (id) do update set
        amount = l.amount + grant_now, expires_at = excluded.expires_at,
        step = the_step, last_granted = grant_now;
    update wallet set leased = leased + grant_now where id = the_wallet;
  end if;
  return query select grant_now,
    coalesce((select sum(l.amount) from wallet_lease l
      where l.wallet_id = the_wallet and l.process_id <> process), 0),
    false;
end $$;

-- Returns part of a lease to its wallet.
create function return_lease(lease uuid, the_step integer, the_wallet uuid, part numeric)
  returns void language plpgsql as $$
begin
  perform 1 from wallet where id = the_wallet for update;
  update wallet_lease set amount = amount - part, step = the_step, last_granted = 0
    where id = lease and step < the_step;
  if found then update wallet set leased = leased - part where id = the_wallet; end if;
end $$;

-- Ends leases, and returns their amounts to their wallets.
create function end_leases(leases uuid[]) returns void language plpgsql as $$
begin
  perform 1 from wallet
    where id in (select wallet_id from wallet_lease where id = any(leases)) order by id for update;
  with gone as (
    delete from wallet_lease where id = any(leases) returning wallet_id, amount
  )
  update wallet w set leased = w.leased - back.total
    from (select wallet_id, sum(amount) as total from gone group by wallet_id) back
    where w.id = back.wallet_id;
end $$;

-- Ends the leases that have expired, or those of all processes, and returns their amounts to their wallets.
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

-- Posts a batch of new charges, all paid from existing leases; anything else is an error, and nothing is posted. The caller names
-- wallets in order of id.
create function post_charges(
  the_wallets uuid[], wallet_totals numeric[], the_leases uuid[], lease_totals numeric[],
  at timestamptz, requests uuid[], wallets uuid[], amounts numeric[], workspaces uuid[],
  keys uuid[], models text[], routes text[], client_requests text[], input_counts bigint[],
  cache_read_counts bigint[], write_5m_counts bigint[], write_1h_counts bigint[],
  output_counts bigint[], thinking_counts bigint[], cards uuid[], latencies integer[],
  first_tokens integer[]
) returns void language plpgsql as $$
begin
  for i in 1 .. cardinality(the_wallets) loop
    update wallet set balance = balance - wallet_totals[i], leased = leased - wallet_totals[i]
      where id = the_wallets[i];
    if not found then raise exception 'no wallet %', the_wallets[i]; end if;
  end loop;
  for i in 1 .. cardinality(the_leases) loop
    update wallet_lease set amount = amount - lease_totals[i] where id = the_leases[i];
    if not found then raise exception 'lease % is gone', the_leases[i]; end if;
  end loop;
  insert into ledger_entry (
    id, request_id, wallet_id, kind, amount, workspace_id, key_id, model, route,
    client_request_id, input_tokens, cache_read_tokens, cache_write_5m_tokens,
    cache_write_1h_tokens, output_tokens, thinking_tokens, price_card, latency_ms,
    first_token_ms, created_at
  )
  select unnest(requests), unnest(requests), unnest(wallets), 'charge', -unnest(amounts),
    unnest(workspaces), unnest(keys), unnest(models), unnest(routes), unnest(client_requests),
    unnest(input_counts), unnest(cache_read_counts), unnest(write_5m_counts),
    unnest(write_1h_counts), unnest(output_counts), unnest(thinking_counts), unnest(cards),
    unnest(latencies), unnest(first_tokens), at;
end $$;

-- Posts each charge that the ledger does not have yet, from its lease or, if that has ended, from what is free. Returns the
-- charges that neither could pay and that were not posted: the balance never goes below zero.
create function post_charges_singly(
  leases uuid[],
  at timestamptz, requests uuid[], wallets uuid[], amounts numeric[], workspaces uuid[],
  keys uuid[], models text[], routes text[], client_requests text[], input_counts bigint[],
  cache_read_counts bigint[], write_5m_counts bigint[], write_1h_counts bigint[],
  output_counts bigint[], thinking_counts bigint[], cards uuid[], latencies integer[],
  first_tokens integer[]
) returns table (unpaid uuid) language plpgsql as $$
begin
  perform 1 from wallet where id = any(wallets) order by id for update;
  for i in 1 .. cardinality(requests) loop
    continue when exists (select 1 from ledger_entry where request_id = requests[i]);
    update wallet_lease set amount = amount - amounts[i] where id = leases[i];
    if found then
      update wallet set balance = balance - amounts[i], leased = leased - amounts[i]
        where id = wallets[i];
    else
      update wallet set balance = balance - amounts[i]
        where id = wallets[i] and balance - leased - reserved >= amounts[i];
      if not found then
        unpaid := requests[i];
        return next;
        continue;
      end if;
    end if;
    insert into ledger_entry (
      id, request_id, wallet_id, kind, amount, workspace_id, key_id, model, route,
      client_request_id, input_tokens, cache_read_tokens, cache_write_5m_tokens,
      cache_write_1h_tokens, output_tokens, thinking_tokens, price_card, latency_ms,
      first_token_ms, created_at
    )
    values (
      requests[i], requests[i], wallets[i], 'charge', -amounts[i], workspaces[i], keys[i],
      models[i], routes[i], client_requests[i], input_counts[i], cache_read_counts[i],
      write_5m_counts[i], write_1h_counts[i], output_counts[i], thinking_counts[i], cards[i],
      latencies[i], first_tokens[i], at
    );
  end loop;
end $$;


-- Prompt cache

-- The beginning of a prompt that is billed as cached until it expires. Rows live for minutes and every process writes them, so
-- there is no reference to the workspace: it would lock the workspace's row at each write.
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


-- Usage
--
-- What calls used, for reports. It is not money: charges are in the ledger.

-- A call that cost nothing. Calls that were paid for have their charge in the ledger, which says the same of them.
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
  created_at timestamptz not null,
  -- Whether it is in the sums of its day. Unlike the entries of a ledger, records are not committed in an order that one number
  -- could mark.
  folded boolean not null default false
);
create index usage_record_workspace on usage_record (workspace_id, created_at);
create index usage_record_unfolded on usage_record (workspace_id, created_at) where not folded;

-- The sums of a workspace's day: of all its calls, of those with one model, or of those with one key. They are added up behind
-- the calls, so that the report of a month reads days and not millions of calls.
create table usage_day (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  grouping text not null check (grouping in ('day', 'model', 'key')),
  day date not null,
  -- The model or the key (empty for calls without one), or the day once more.
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

-- How many calls of a usage_day took so many milliseconds, in all and until their first token. The median is found from these.
create table usage_day_duration (
  day_id bigint not null references usage_day,
  ms integer not null,
  latencies bigint not null,
  first_tokens bigint not null,
  primary key (day_id, ms)
) with (fillfactor = 70);

-- Up to which entry of a wallet's ledger the sums of days include it, and how many of the entries after that were seen already,
-- up to which one. So each entry is counted once.
create table usage_fold (
  wallet_id uuid primary key,
  seq bigint not null,
  seen_seq bigint not null,
  seen integer not null
) with (fillfactor = 70);


-- Limits on calls

-- How many requests and tokens a workspace has used of its limits in one minute.
create table rate_window (
  workspace_id uuid not null,
  minute timestamptz not null,
  requests bigint not null,
  tokens bigint not null,
  primary key (workspace_id, minute)
) with (fillfactor = 50);

-- Takes the wanted part of a workspace's minute, or what is left of it.
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

-- How many concurrent calls one process may serve for a workspace. A claim expires unless it is renewed, so that the claims of a
-- process that died become free.
create table call_claim (
  workspace_id uuid not null,
  process_id uuid not null,
  places integer not null check (places >= 0),
  expires_at timestamptz not null,
  primary key (workspace_id, process_id)
) with (fillfactor = 50);
create index call_claim_expiry on call_claim (expires_at);

-- Sets the claim of a process to what it wants, or to what the others leave of the limit. A repeated request changes nothing, so
-- a lost answer does no harm.
create function claim_call_places(
  workspace uuid, process uuid, want integer, ceiling integer, life interval
) returns integer language plpgsql as $$
declare
  of_others bigint;
  granted integer;
begin
  -- One at a time for each workspace, also where it has no row yet.
  perform pg_advisory_xact_lock(hashtextextended('call_claim ' || workspace::text, 0));
  select coalesce(sum(c.places), 0) into of_others from call_claim c
    where c.workspace_id = workspace and c.process_id <> process
      and c.expires_at > clock_timestamp();
  granted := greatest(0, least(want, ceiling - of_others));
  insert into call_claim values (workspace, process, granted, clock_timestamp() + life)
    on conflict (workspace_id, process_id)
    do update set places = excluded.places, expires_at = excluded.expires_at;
  return granted;
end $$;

-- How many calls of a workspace clients disconnected from, and how many ended normally, as one process counted them in a window
-- of time. Disconnecting is free within an allowance.
create table hang_up_count (
  workspace_id uuid not null,
  window_start timestamptz not null,
  process_id uuid not null,
  aborted integer not null,
  completed integer not null,
  -- About what the prompts of the aborted and of the completed calls cost, so that many cheap calls do not make up for a few
  -- expensive ones.
  unpaid double precision not null default 0,
  paid double precision not null default 0,
  primary key (workspace_id, window_start, process_id)
) with (fillfactor = 50);
create index hang_up_count_window on hang_up_count (window_start);


-- Deployments

-- A name of a workspace, and what serves it at the moment: another model goes live under the name by an update of this row. Weights
-- are named by the hash of their content and never change.
create table deployment (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  name text not null,
  -- The row of the catalog that it is based on.
  model text not null,
  base_revision text,
  -- One of these, or neither for the base model as it is.
  adapter text check (adapter ~ '^[0-9a-f]{64}$'),
  merged text check (merged ~ '^[0-9a-f]{64}$'),
  -- Whose live version it serves, or for whose attempt's test it is there.
  pipeline_id uuid,
  version_no integer,
  attempt_id uuid,
  status text not null check (status in
    ('serving', 'starting', 'stopped', 'paused_for_funds', 'paused_by_platform', 'failed', 'deleted')),
  machine text not null,
  -- Why it does not serve.
  detail text,
  -- When its machine was last asked; null where the status follows from the row alone.
  checked_at timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  -- Since when it does not serve.
  ended_at timestamptz,
  -- When it is looked at next; null for one that stays as it is until somebody changes it.
  wake_at timestamptz,
  leased_until timestamptz,
  leased_by uuid,
  -- So often in a row it could not be started.
  tries integer not null default 0,
  -- What is paid in advance where time has a price. The id is the reference of the reservation; without a beginning it is reserved
  -- and has not served yet.
  paid_id uuid,
  paid_price numeric,
  paid_minutes integer,
  paid_from timestamptz,
  revision integer not null,
  check (adapter is null or merged is null),
  check (attempt_id is null or pipeline_id is not null),
  check ((paid_id is null) = (paid_price is null) and (paid_id is null) = (paid_minutes is null)),
  check (paid_id is not null or paid_from is null)
);
create index deployment_due on deployment (wake_at) where wake_at is not null;
create index deployment_pipeline on deployment (pipeline_id) where status <> 'deleted';
create index deployment_attempt on deployment (attempt_id) where status <> 'deleted';
create unique index deployment_name on deployment (workspace_id, name) where status <> 'deleted';

create function notify_deployments_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('deployments_changed', coalesce(new.workspace_id, old.workspace_id)::text);
  return null;
end $$;
create trigger deployments_changed after insert or delete or update of
  name, model, base_revision, adapter, merged, pipeline_id, version_no, attempt_id, status, machine
  on deployment for each row execute function notify_deployments_changed();

create function notify_deployment_due() returns trigger language plpgsql as $$
begin
  perform pg_notify('deployment_due', '');
  return null;
end $$;
create trigger deployment_due after insert or update of status on deployment
  for each row when (new.wake_at is not null) execute function notify_deployment_due();

-- What served under a name until another took its place. Its machine stops some minutes later, when the last call is surely over.
create table replaced_target (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  name text not null,
  model text not null,
  base_revision text,
  adapter text,
  merged text,
  machine text not null,
  stop_at timestamptz not null
);
create index replaced_target_due on replaced_target (stop_at);


-- Pipelines and recording

-- A pipeline: a name under which a model is called and its calls are recorded. A deleted pipeline keeps its name and its tag.
create table pipeline (
  id uuid primary key,
  workspace_id uuid not null references workspace (id),
  name text not null,
  -- The same for names that are taken for one.
  name_key text not null,
  tag text not null,
  -- The row of the catalog that it is based on.
  model text not null,
  -- The deployment that a member named as its model.
  model_deployment text,
  -- The content hash of the model's files when the pipeline was last saved; of a deployment's, when that was named.
  model_revision text not null,
  challenger_model text,
  challenger_revision text,
  -- What it trains on besides its own tag, and which conditions all of it meets.
  tags text[] not null,
  datasets uuid[] not null,
  conditions jsonb,
  -- What a good answer is, for the judge.
  use_case text,
  -- Settings that a member chose; those that are null are automatic.
  training jsonb not null,
  builds_on text not null check (builds_on in ('live', 'base')),
  schedule jsonb,
  -- When a process first saw that the newest time of the schedule had come.
  schedule_seen_at timestamptz,
  held_back_percent integer not null,
  promotion_policy text not null,
  promotion_k integer,
  promotion_evidence text not null check (promotion_evidence in ('each', 'life')),
  auto_scoring boolean not null,
  max_versions integer,
  -- The judge that a member named, and the one in use.
  judge_named text,
  judge_model text not null,
  enabled boolean not null,
  -- Whether missing funds have paused it.
  paused_for_funds boolean not null,
  -- Of its good and corrected samples, those that the last selection could not use.
  last_skipped integer not null,
  -- How long the samples are that the next test asks first, by the last selection; null before it.
  test_sizes jsonb,
  -- What the last selection lacked, because whole questions are held back; null where it lacked nothing.
  shortfall jsonb,
  revision integer not null,
  consented_revision integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index pipeline_name on pipeline (workspace_id, name_key);
create unique index pipeline_tag on pipeline (workspace_id, tag);
alter table api_key add foreign key (pipeline_id) references pipeline (id);

-- Deleted pipelines whose tests may still hold what models and judges said.
create table pipeline_erasure (
  pipeline_id uuid primary key references pipeline (id)
);

-- Which calls of a source become samples.
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

-- Processes cache what is recorded; the notification names the workspace to look up again.
create function notify_capture_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('capture_changed', coalesce(new.workspace_id, old.workspace_id)::text);
  return null;
end $$;
create trigger capture_changed after insert or update or delete on capture_config
  for each row execute function notify_capture_changed();
create trigger capture_changed after insert or update or delete on pipeline
  for each row execute function notify_capture_changed();

-- How many calls became a sample, and how many did not and for which reason.
create table capture_count (
  workspace_id uuid not null,
  source text not null,
  tag text not null,
  outcome text not null,
  -- A call with several tags is counted under each of them, so the sum over tags is not the number of calls.
  calls bigint not null,
  last_at timestamptz not null,
  -- Calls that were not recorded, each under one tag alone.
  missed bigint not null default 0,
  primary key (workspace_id, source, tag, outcome)
);

-- The last batch of capture counts that a process has written. It numbers its batches and sends each until it knows that it was
-- written, so a batch whose answer was lost is not added again.
create table capture_writer (
  id uuid primary key,
  last_group bigint not null,
  written_at timestamptz not null
);


-- Samples
--
-- Samples come by the thousand and are deleted by their workspace's own tasks, so nothing here refers to another table.

-- A conversation: what is known of it, without its text.
create table sample (
  workspace_id uuid not null,
  id uuid not null,
  origin text not null check (origin in ('captured', 'imported')),
  -- The model, deployment or pipeline that was called, or the name that an import gave.
  source text not null,
  model text,
  -- The version of a pipeline that answered, where it was called by the pipeline's name.
  version_no integer,
  tags text[] not null,
  -- The X-Request-ID of the call.
  request_id text,
  import_id text,
  -- What the row is within its import. Numbers in it are padded, so that keys of a file grow and are added at the end of their
  -- index.
  row_key text,
  shape text,
  answered boolean not null,
  -- The feedback that counts now: a person's before an import's, an import's before a judge's score, of each the newest. All
  -- feedback is in signal.
  verdict text check (verdict in ('accepted', 'rejected', 'edited')),
  verdict_by text check (verdict_by in ('person', 'import', 'judge')),
  signal_id uuid,
  -- Where a judge's score counts.
  score real,
  -- Null while the text is in this database; otherwise its key in the workspace's own bucket, which begins with the id of the
  -- own_storage.
  object_key text,
  bytes integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);
-- A repeated call is one sample, and so is a row that is imported again.
create unique index sample_request on sample (workspace_id, request_id)
  where request_id is not null;
create unique index sample_import_row on sample (workspace_id, import_id, row_key)
  where import_id is not null;
create index sample_expiry on sample (expires_at);
-- Most recorded calls have no tags. Queries for a tag must repeat the condition, or this index is not used.
create index sample_tags on sample using gin (tags) where tags <> '{}';
-- The filters of lists, each in the order of lists. The index names the origin, so that its entries need not hold it.
create index sample_model on sample (workspace_id, model, id) where model is not null;
create index sample_captured on sample (workspace_id, id) where origin = 'captured';
create index sample_imported on sample (workspace_id, id) where origin = 'imported';
-- Without the scores of judges: filters take a sample that only a judge has scored as unreviewed.
create index sample_verdict on sample (workspace_id, verdict, id) where verdict_by <> 'judge';
create index sample_outside on sample (workspace_id, id) where object_key is not null;

-- The text of a sample, unless that is in the workspace's own bucket.
create table sample_text (
  sample_id uuid primary key,
  workspace_id uuid not null,
  -- JSON. As text, because it is only ever read whole.
  --
  -- Neither column is compressed: compressing twenty thousand characters of prose takes a millisecond and a half of processor
  -- time, more than the rest of recording such a call, and saves half of the disk space.
  conversation text not null,
  -- What a search looks at: all that was said, in lower case. Null where the conversation in lower case is just that.
  search_text text
);
alter table sample_text
  alter column conversation set storage external,
  alter column search_text set storage external,
  -- Two rows to a page. Rows of two thousand bytes stay in the table, which makes imports and searches cheaper.
  set (toast_tuple_target = 4080);

-- The text that a search looks at. Only ASCII letters are folded here: a conversation with other letters that folding changes is
-- stored with a search text.
create function searched_text(conversation text, search_text text) returns text
  language sql immutable parallel safe
  return coalesce(search_text, lower(conversation collate "C"));

-- Another id of a sample: a call that was repeated under one X-Request-ID got an id of its own before it turned out to be the
-- same.
create table sample_alias (
  workspace_id uuid not null,
  id uuid not null,
  sample_id uuid not null,
  primary key (workspace_id, id)
);
-- For deleting the aliases of a sample with it.
create index sample_alias_sample on sample_alias (sample_id);

-- Feedback on a sample.
create table signal (
  id uuid primary key,
  workspace_id uuid not null,
  sample_id uuid not null,
  verdict text not null check (verdict in ('accepted', 'rejected', 'edited')),
  correction text,
  given_by text not null check (given_by in ('person', 'import', 'judge')),
  -- Given as the truth. False for a judge's score alone.
  gold boolean not null check (gold = (given_by <> 'judge')),
  score real,
  user_id uuid,
  key_id uuid,
  created_at timestamptz not null
);
create index signal_sample on signal (sample_id, id);

-- An attempt of a pipeline to train a better version. The row is the state machine: a process claims it while its time has come, does
-- what its phase asks for, and moves it on.
create table attempt (
  id uuid primary key,
  workspace_id uuid not null references workspace (id),
  org_id uuid not null references org (id),
  pipeline_id uuid not null references pipeline (id),
  attempt_no integer not null,
  reason text not null,
  -- The phase, with its own data.
  state jsonb not null,
  result text not null,
  error_code text,
  detail text,
  cancelled_at timestamptz,
  cancelled_by uuid,
  model text not null,
  model_revision text not null,
  builds_on integer,
  -- What its pipeline had chosen when it began, and what follows from that for its rows.
  training jsonb not null,
  settings jsonb not null,
  min_epochs integer not null,
  stops_early boolean not null,
  train_rows integer,
  holdout_rows integer,
  replayed_rows integer,
  skipped_rows jsonb not null,
  machine text not null,
  training_price_per_hour numeric not null,
  -- Content hash of the adapter that it trained.
  adapter text,
  -- The version that it became.
  version_no integer,
  -- How it is tested, once that was fixed, and what the test found.
  test jsonb,
  verdict jsonb,
  candidate_pass_rate double precision,
  incumbent_pass_rate double precision,
  decision text check (decision in ('rejected', 'expired', 'auto_rejected')),
  -- Until then a member may decide on it.
  decide_by timestamptz,
  -- The member who approved it; from then on it is only put live.
  approved_by uuid,
  -- When its test was begun once more.
  retested_at timestamptz,
  revision integer not null,
  wake_at timestamptz not null,
  -- Until then only this process works on it.
  leased_until timestamptz,
  leased_by uuid,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  unique (pipeline_id, attempt_no)
) with (fillfactor = 50);
-- One under way a pipeline. What a member approved is put live beside it.
create unique index attempt_running on attempt (pipeline_id)
  where result = 'running' and approved_by is null;
-- Those under way, and those that wait for a decision.
create index attempt_due on attempt (wake_at) where result = 'running' or decide_by is not null;

create function notify_attempt_due() returns trigger language plpgsql as $$
begin
  notify attempt_due;
  return null;
end $$;

-- What a person starts or stops is seen at once.
create trigger attempt_due after insert or update of cancelled_at on attempt
  for each statement execute function notify_attempt_due();

-- A move of an attempt from one phase to the next, which is also the timeline that people see.
create table attempt_move (
  attempt_id uuid not null references attempt (id),
  no integer not null,
  from_phase text not null,
  to_phase text not null,
  why text not null,
  at timestamptz not null,
  primary key (attempt_id, no)
);

-- The loss of an attempt over the steps of its training, once the training has ended.
create table attempt_curve (
  attempt_id uuid primary key references attempt (id),
  points jsonb not null
);

-- A version of a pipeline: what an attempt trained, once it went live. Numbers count up and are never given again. A row does not
-- change but for the times at which something ended.
create table version (
  pipeline_id uuid not null references pipeline (id),
  version_no integer not null check (version_no > 0),
  attempt_id uuid not null references attempt (id),
  attempt_no integer not null,
  reason text not null,
  model text not null,
  -- Weights are named by the hash of their content.
  model_revision text not null,
  adapter text,
  merged text,
  -- The version that it was trained on top of; null for the base model.
  builds_on integer,
  train_rows integer,
  replayed_rows integer,
  candidate_pass_rate double precision,
  incumbent_pass_rate double precision,
  live_from timestamptz not null,
  live_until timestamptz,
  rolled_back_at timestamptz,
  primary key (pipeline_id, version_no),
  check (adapter is null or merged is null)
);
-- An attempt goes live once.
create unique index version_attempt on version (attempt_id);

-- What was live under the name of a pipeline, and since when. The entry without an end is live now.
create table live_history (
  pipeline_id uuid not null references pipeline (id),
  no integer not null,
  -- Null where nothing was live.
  version_no integer,
  live_from timestamptz not null,
  live_until timestamptz,
  moved_by text not null check (moved_by in ('promotion', 'member', 'rebuild', 'rollback')),
  -- The member who decided it.
  user_id uuid,
  attempt_id uuid,
  primary key (pipeline_id, no),
  foreign key (pipeline_id, version_no) references version (pipeline_id, version_no)
);
create unique index live_history_now on live_history (pipeline_id) where live_until is null;
-- A held-back sample that an attempt is tested on. It holds no text, so that deleting a sample leaves none here.
create table tested_sample (
  attempt_id uuid not null references attempt (id),
  -- From 1, the longest held back first.
  no integer not null,
  sample_id uuid not null,
  -- The feedback that said its right answer when the rows of the attempt were selected.
  signal_id uuid not null,
  question text not null check (question in ('asked', 'missing')),
  -- The key of its question in the pipeline; null where it is a question of its own.
  question_key bytea,
  -- Whether the right answer is in the words of the model that the new one is compared with.
  live_words boolean not null,
  tags text[] not null,
  -- Once the test was decided.
  outcome text check (outcome in ('win', 'loss', 'tie', 'unscored', 'missing')),
  unscored text,
  score double precision,
  live_score double precision,
  primary key (attempt_id, no),
  unique (attempt_id, sample_id)
);
-- For deleting what models said to a sample with it.
create index tested_sample_sample on tested_sample (sample_id);

-- What a model answered in a test, and what that cost in pico-dollars.
create table test_answer (
  attempt_id uuid not null,
  sample_id uuid not null,
  side text not null check (side in ('candidate', 'live')),
  -- JSON; null where it did not answer, and once the sample was deleted.
  answer text,
  -- The object that has it instead, where the sample is in the workspace's own bucket.
  answer_key text,
  -- Why it did not answer.
  failure text,
  cost numeric not null,
  primary key (attempt_id, sample_id, side)
);

-- What the judge said about the answers to a sample, and what that cost in pico-dollars.
create table test_reading (
  attempt_id uuid not null,
  sample_id uuid not null,
  kind text not null check (kind in ('score_candidate', 'score_live', 'pair', 'pair_swapped')),
  score double precision,
  better text check (better in ('candidate', 'live', 'tie')),
  -- In the judge's words; null where it gave none, and once the sample was deleted.
  reason text,
  -- The object that has them instead, where the sample is in the workspace's own bucket.
  reason_key text,
  -- Why there is no verdict.
  failure text,
  cost numeric not null,
  primary key (attempt_id, sample_id, kind)
);

-- What a pipeline has done with a sample. A sample without a row here is new to it.
create table pipeline_sample (
  pipeline_id uuid not null references pipeline,
  sample_id uuid not null,
  workspace_id uuid not null references workspace,
  -- Since when it is held back from training, to test with.
  held_at timestamptz,
  -- The newest attempt that trained on it, and the feedback that counted then: a correction since makes the sample new again.
  used_by integer,
  used_signal uuid,
  -- The first attempt that trained on it. An attempt that is approved after others have trained still knows by this what it used.
  first_used_by integer,
  -- The attempt that learned it: the first that went live, or one that is about to. It counts once that attempt is a version.
  learned_by integer,
  -- The key of its question.
  question bytea,
  -- It stands on neither side, and counts nowhere.
  set_aside boolean not null default false,
  primary key (pipeline_id, sample_id)
);
-- For deleting the marks of a sample with it.
create index pipeline_sample_sample on pipeline_sample (sample_id);

-- What a pipeline has held back, used and learned, by hashes of what was asked: they stay when the samples go.
create table pipeline_question (
  pipeline_id uuid not null references pipeline,
  kind text not null check (kind in ('prompt', 'full', 'prefix')),
  key bytea not null,
  -- The key of the question; of a beginning that many have, one of them.
  question bytea not null,
  -- These mean what they mean of a sample.
  held_at timestamptz,
  first_used_by integer,
  used_by integer,
  learned_by integer,
  primary key (pipeline_id, key, kind)
);
create index pipeline_question_question on pipeline_question (pipeline_id, question);

-- A named selection of samples. It holds the conditions and not the samples.
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


-- Search

-- Samples that were stored together and whose text no search segment holds yet. One row for all of them: a row for every sample
-- cost an import a tenth of its time.
create table search_queue (
  workspace_id uuid not null,
  id bigint generated always as identity,
  sample_ids uuid[] not null,
  primary key (workspace_id, id)
);

-- Part of a workspace's search index: some thousand samples and the keys that occur in their texts. A segment never changes: it
-- is replaced by a larger one, or by one without the samples that were deleted.
create table search_segment (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  first_id uuid not null,
  last_id uuid not null,
  samples integer not null,
  characters integer not null,
  -- The ids of the samples in their order, 16 bytes each: a sample's position among them is its number in the blocks.
  -- Uncompressed, so that one id is read without the others.
  sample_ids bytea not null,
  -- Since when it holds keys of samples that were deleted.
  forgotten_at timestamptz
);
alter table search_segment alter column sample_ids set storage external;
create index search_segment_workspace on search_segment (workspace_id);

-- A range of the keys of a segment, each with the samples that it occurs in.
create table search_block (
  segment_id bigint not null,
  first_key bigint not null,
  entries bytea not null,
  primary key (segment_id, first_key)
);
alter table search_block alter column entries set storage external;


-- Own storage

-- A bucket of a workspace, for the texts of its samples.
create table own_storage (
  id uuid primary key,
  workspace_id uuid not null references workspace (id),
  endpoint text not null,
  region text not null,
  bucket text not null,
  prefix text not null,
  force_path_style boolean not null,
  access_key_id text not null,
  -- Encrypted for this row alone. Null once the workspace has disconnected, or nothing is left in the bucket.
  secret bytea,
  -- New samples are stored in this one.
  is_default boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (secret is not null or not is_default)
);
create unique index own_storage_default on own_storage (workspace_id) where is_default;
create unique index own_storage_place on own_storage (workspace_id, endpoint, bucket, prefix);

-- An object that must be deleted from a bucket unless a sample refers to it by then. The row is written before the object is, and
-- when its sample is deleted.
create table object_erasure (
  storage_id uuid not null references own_storage (id),
  object_key text not null,
  workspace_id uuid not null,
  sample_id uuid not null,
  tries integer not null,
  -- Null once the workspace has disconnected, because the bucket's secret is gone.
  due_at timestamptz,
  primary key (storage_id, object_key)
);
create index object_erasure_due on object_erasure (due_at) where due_at is not null;
create index object_erasure_workspace on object_erasure (workspace_id);


-- How much is stored

-- An addition to what is stored under a tag in one place, or a subtraction. Rows are folded into one now and then: with one row
-- that all update, storing a sample would wait for another that is stored at the same time.
create table sample_storage (
  workspace_id uuid not null,
  -- Empty for all samples of the workspace.
  tag text not null,
  -- 'platform', or the id of the own_storage that holds the texts.
  place text not null,
  samples bigint not null,
  bytes bigint not null,
  -- One of the rows that others were folded into. Only rows that came later are looked for, and folded together with it.
  folded boolean not null default false
);
create index sample_storage_of on sample_storage (workspace_id, tag);
create index sample_storage_unfolded on sample_storage (workspace_id, tag) where not folded;

-- Each new sample is read once, and its tags only after samples with the same tags were added up: an import brings hundreds at a
-- time with the same ones.
create function count_added_samples() returns trigger language plpgsql as $$
begin
  insert into sample_storage (workspace_id, tag, place, samples, bytes)
  select s.workspace_id, t.tag, s.place, sum(s.samples), sum(s.bytes)
  from (
    select workspace_id, tags, coalesce(left(object_key, 36), 'platform') as place,
      count(*) as samples, sum(bytes) as bytes
    from new_samples group by 1, 2, 3
  ) s cross join lateral unnest(array_prepend('', s.tags)) t (tag)
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

-- Only the tags of a sample change; the place of its text and its size do not.
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

-- Corrections count too, under the tags of their sample. They are in this database even if the sample's text is in a bucket, so
-- their place is the platform.
--
-- Most feedback has no correction, and the functions then stop at once. They find each sample by its key, because plans are made
-- while the tables may still be empty.
create function count_added_corrections() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_signals where correction is not null) then
    return null;
  end if;
  insert into sample_storage (workspace_id, tag, place, samples, bytes)
  select s.workspace_id, t.tag, 'platform', 0, sum(s.bytes)
  from (
    select n.workspace_id, octet_length(n.correction) as bytes, (
      select tags from sample where workspace_id = n.workspace_id and id = n.sample_id
    ) as tags
    from new_signals n where n.correction is not null
  ) s cross join lateral unnest(array_prepend('', s.tags)) t (tag)
  where s.tags is not null
  group by 1, 2;
  return null;
end $$;

-- Feedback is deleted before its sample is.
create function count_removed_corrections() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from old_signals where correction is not null) then
    return null;
  end if;
  insert into sample_storage (workspace_id, tag, place, samples, bytes)
  select s.workspace_id, t.tag, 'platform', 0, -sum(s.bytes)
  from (
    select o.workspace_id, octet_length(o.correction) as bytes, (
      select tags from sample where workspace_id = o.workspace_id and id = o.sample_id
    ) as tags
    from old_signals o where o.correction is not null
  ) s cross join lateral unnest(array_prepend('', s.tags)) t (tag)
  where s.tags is not null
  group by 1, 2;
  return null;
end $$;

create function count_relabelled_corrections() returns trigger language plpgsql as $$
begin
  insert into sample_storage (workspace_id, tag, place, samples, bytes)
  select s.workspace_id, t.tag, 'platform', 0, sum(t.change * s.bytes)
  from (
    select n.workspace_id, n.tags as tags_now, o.tags as tags_before, (
      select sum(octet_length(correction)) from signal where sample_id = n.id
    ) as bytes
    from new_samples n join old_samples o using (workspace_id, id) where n.tags <> o.tags
  ) s cross join lateral (
    select unnest(s.tags_now) as tag, 1 as change
    union all
    select unnest(s.tags_before), -1
  ) t
  where s.bytes is not null
  group by 1, 2
  having sum(t.change * s.bytes) <> 0;
  return null;
end $$;

create trigger correction_added after insert on signal
  referencing new table as new_signals
  for each statement execute function count_added_corrections();
create trigger correction_removed after delete on signal
  referencing old table as old_signals
  for each statement execute function count_removed_corrections();
create trigger corrections_relabelled after update on sample
  referencing old table as old_samples new table as new_samples
  for each statement execute function count_relabelled_corrections();


-- Billing for what is stored

-- What storing cost a workspace on a day. Days that cost nothing have no row.
create table storage_day (
  workspace_id uuid not null references workspace (id),
  day date not null,
  bytes bigint not null,
  -- For a gigabyte and a month.
  price numeric not null,
  cost numeric not null,
  primary key (workspace_id, day)
);

-- How far storing has been billed for a workspace.
create table storage_bill (
  workspace_id uuid primary key references workspace (id),
  -- The last day that was looked at, and what was stored then.
  day date not null,
  bytes bigint not null,
  -- The cost of all days, and how much of it is in the ledger.
  accrued numeric not null check (accrued >= charged),
  charged numeric not null check (charged >= 0),
  -- A day that did not follow the last one, until another day shows that the clock was right.
  doubted date
);
-- Whole cents go into the ledger.
create index storage_bill_due on storage_bill (workspace_id)
  where accrued - charged >= 10000000000;
