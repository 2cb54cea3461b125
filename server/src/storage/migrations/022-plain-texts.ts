// Long texts are stored as they are. PostgreSQL's own compression takes a millisecond and a half of processor time for twenty
// thousand characters of prose, more than all the rest of recording such a call, and halves what it takes on the disk.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Texts that are there already stay compressed, and are read as before.
    alter table sample_text
      alter column conversation set storage external,
      alter column search_text set storage external;
  `.execute(db)
}
