// Changes of a lease have numbers, so that one whose answer was lost can be made again and is made once: whoever repeats the
// last one hears what it brought, and an older one that was held up on its way does nothing any more.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table wallet_lease
      add column step integer not null default 0,
      add column last_granted numeric not null default 0;

    drop function enlarge_lease(uuid, boolean, uuid, uuid, numeric, numeric, interval);
    drop function return_lease(uuid, uuid, numeric, boolean);

    -- Enlarges a lease by what is wanted, or by what is left if that is less; its first step makes it. 'lost' means that the
    -- lease had expired or was taken back, so nothing was granted.
    create function enlarge_lease(
      lease uuid, the_step integer, the_wallet uuid, process uuid, wanted numeric, spare numeric,
      lifetime interval
    ) returns table (granted numeric, others numeric, lost boolean) language plpgsql as $$
    declare
      free numeric;
      here record;
      grant_now numeric;
    begin
      select w.balance - w.leased into free from wallet w where w.id = the_wallet for update;
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
        -- Spare room saves trips while funds are plenty; near the end it would only strand them.
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

    -- Gives back part of a lease.
    create function return_lease(lease uuid, the_step integer, the_wallet uuid, part numeric)
      returns void language plpgsql as $$
    begin
      perform 1 from wallet where id = the_wallet for update;
      update wallet_lease set amount = amount - part, step = the_step, last_granted = 0
        where id = lease and step < the_step;
      if found then update wallet set leased = leased - part where id = the_wallet; end if;
    end $$;

    -- Ends leases, and gives back whatever is in them.
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
  `.execute(db)
}
