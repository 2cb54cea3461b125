// Corrections count as stored too. They lie in this database whether their sample's text is in a bucket or not, so their place
// is the platform; and they count under the labels their sample has, as the sample itself does.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Most feedback has no correction, and is then looked at no further. Samples are found one by one, by their key, because
    -- plans are made while the tables may still be empty.
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

    -- Beside the trigger that counts the samples themselves. Feedback goes before its sample does.
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

    insert into sample_storage (workspace_id, tag, place, samples, bytes)
    select s.workspace_id, t.tag, 'platform', 0, sum(octet_length(f.correction))
    from signal f join sample s on s.workspace_id = f.workspace_id and s.id = f.sample_id
      cross join lateral unnest(array_prepend('', s.tags)) t (tag)
    where f.correction is not null
    group by 1, 2;
  `.execute(db)
}
