// How many calls at once each process may serve for a workspace. A row is a claim that runs out unless it is renewed, so
// that the places of a process that died come back.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table call_claim (
      workspace_id uuid not null,
      process_id uuid not null,
      places integer not null check (places >= 0),
      expires_at timestamptz not null,
      primary key (workspace_id, process_id)
    ) with (fillfactor = 50);
    create index call_claim_expiry on call_claim (expires_at);

    -- Sets the claim of a process to what it wants, or to what the others leave of the ceiling. Asked again with the same
    -- wish it changes nothing, so a lost answer does no harm.
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
  `.execute(db)
}
