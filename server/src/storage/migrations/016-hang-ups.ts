// How many calls of a workspace were hung up on, and how many were not, as each process counted them in a window of time.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table hang_up_count (
      workspace_id uuid not null,
      window_start timestamptz not null,
      process_id uuid not null,
      aborted integer not null,
      completed integer not null,
      primary key (workspace_id, window_start, process_id)
    ) with (fillfactor = 50);
    create index hang_up_count_window on hang_up_count (window_start);
  `.execute(db)
}
