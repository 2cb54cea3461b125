// What waits for the search index waits together with what came together: a row for every sample cost an import a tenth of
// its time.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table search_batch (
      workspace_id uuid not null,
      id bigint generated always as identity,
      sample_ids uuid[] not null,
      primary key (workspace_id, id)
    );
    insert into search_batch (workspace_id, sample_ids)
    select workspace_id, array_agg(sample_id order by sample_id)
    from (
      select workspace_id, sample_id,
        (row_number() over (partition by workspace_id order by sample_id) - 1) / 500 as batch
      from search_queue
    ) as waiting
    group by workspace_id, batch order by workspace_id, batch;
    drop table search_queue;
    alter table search_batch rename to search_queue;
    alter index search_batch_pkey rename to search_queue_pkey;
  `.execute(db)
}
