// Which groups of capture counts were added, so that one whose reply was lost is not added again.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- One row for each process that counts: it numbers its groups and sends each until it knows that it was added.
    create table capture_writer (
      id uuid primary key,
      last_group bigint not null,
      written_at timestamptz not null
    );
  `.execute(db)
}
