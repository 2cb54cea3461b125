// Counting what was added looks at every new sample once, and only then at the labels: an import brings hundreds at a time
// with the same ones.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function count_added_samples() returns trigger language plpgsql as $$
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
  `.execute(db)
}
