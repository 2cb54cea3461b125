// How many calls were not recorded: one with several tags is counted under each of them, so their sum does not say.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table capture_count add column missed bigint not null default 0;
    update capture_count set missed = calls where outcome <> 'recorded';
  `.execute(db)
}
