// Everything a database holds, as text, to look for what must not be in it.
import { sql } from 'kysely'
import type { Db } from '#server/storage/open-storage.ts'

/** Names of the tables in which the text occurs, in any column of any type. */
export async function tablesWith(db: Db, text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1
  `.execute(db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ hit: boolean }>`
      select exists (select 1 from ${sql.table(name)} t
        where position(${text} in t::text) > 0
          or position(encode(convert_to(${text}, 'UTF8'), 'hex') in t::text) > 0) as hit
    `.execute(db)
    if (rows[0]?.hit) found.push(name)
  }
  return found
}
