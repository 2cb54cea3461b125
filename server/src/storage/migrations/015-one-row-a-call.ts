// A call that was paid for has one row, its charge, which also says how long it took: a second row for the statistics cost as
// much as the charge. Usage records are left for calls that cost nothing, and for those of earlier versions. Entries are found by
// wallet and time, for lists and statistics alike.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_entry
      add column route text,
      add column latency_ms integer,
      add column first_token_ms integer;

    drop index ledger_entry_wallet;
    create index ledger_entry_wallet on ledger_entry (wallet_id, created_at, seq);

    create view call_usage as
      select wallet_id as org_id, workspace_id, key_id, model, 'completed' as outcome, input_tokens,
        cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
        thinking_tokens, -amount as cost, latency_ms, first_token_ms, created_at
      from ledger_entry where latency_ms is not null
      union all
      select org_id, workspace_id, key_id, model, outcome, input_tokens,
        cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
        thinking_tokens, cost, latency_ms, first_token_ms, created_at
      from usage_record;

    drop function post_charges(
      uuid[], uuid[], uuid[], numeric[], uuid[], uuid[], jsonb[], text[], text[], bigint[], bigint[],
      bigint[], bigint[], bigint[], bigint[], uuid[], uuid[], jsonb[], timestamptz
    );

    -- Posts a group of new charges, all paid from leases that are there; anything else is an error, and nothing is posted.
    -- Wallets come in order of id, and are locked before their leases.
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

    -- Posts each charge that is not there yet, from its lease or, if that was taken back meanwhile, from what is free. What can
    -- be paid from neither is not posted: the balance never goes below zero.
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
            where id = wallets[i] and balance - leased >= amounts[i];
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
  `.execute(db)
}
