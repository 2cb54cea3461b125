// A conversation of bare texts lies in the database once, as it was said, and not a second time in lower case for searches.
// Rows that are there stay as they are: where there is a search text, that is what a search looks at.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sample_text alter column search_text drop not null;

    -- Only the letters of ASCII are folded: what has others that folding changes is stored with a search text.
    create function searched_text(conversation text, search_text text) returns text
      language sql immutable parallel safe
      return coalesce(search_text, lower(conversation collate "C"));
  `.execute(db)
}
