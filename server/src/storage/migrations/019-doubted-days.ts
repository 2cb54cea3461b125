// A day that did not follow the last one that storage was booked for, until another day shows that the clock was right.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table storage_bill add column doubted date`.execute(db)
}
