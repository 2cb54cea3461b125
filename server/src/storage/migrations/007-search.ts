// The search index: segments of up to some thousand samples of one workspace, each with blocks of the keys that occur in its
// texts. A segment never changes: it is replaced by a larger one, or by one without the samples that are gone.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table search_segment (
      id bigint generated always as identity primary key,
      workspace_id uuid not null,
      first_id uuid not null,
      last_id uuid not null,
      samples integer not null,
      characters integer not null,
      -- The ids of the samples in their order, 16 bytes each: a sample's place among them is its number in the blocks.
      sample_ids bytea not null,
      -- Since when it holds keys of samples that are gone.
      forgotten_at timestamptz
    );
    -- Uncompressed, so that one id is read without the others.
    alter table search_segment alter column sample_ids set storage external;
    create index search_segment_workspace on search_segment (workspace_id);

    create table search_block (
      segment_id bigint not null,
      first_key bigint not null,
      entries bytea not null,
      primary key (segment_id, first_key)
    );
    alter table search_block alter column entries set storage external;

    -- What lists are narrowed by, each in the order of lists.
    create index sample_model on sample (workspace_id, model, id) where model is not null;
    create index sample_origin on sample (workspace_id, origin, id);
    create index sample_verdict on sample (workspace_id, verdict, id) where verdict is not null;
    create index sample_outside on sample (workspace_id, id) where object_key is not null;
  `.execute(db)
}
