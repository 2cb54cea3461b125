// The migrations, in order of their names. The first makes all tables of `schema.sql`, and its name holds a hash of that file, so
// that a database with other tables is told apart.
//
// With the release of 0.1.0 the first migration has to stay as it is: copy `schema.sql` to `001-schema.sql` and read that here.
// `schema.sql` goes on to hold the tables that all migrations together make, which a test compares.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { CompiledQuery, type Migration } from 'kysely'

const file = new URL('./schema.sql', import.meta.url)

export async function readMigrations(): Promise<Record<string, Migration>> {
  const schema = await readFile(file, 'utf8')
  return {
    [schemaName(schema)]: {
      async up(db) {
        await db.executeQuery(CompiledQuery.raw(schema))
      },
    },
  }
}

/** Lines that are only a comment do not count: they change no table. */
export function schemaName(schema: string): string {
  const statements = schema.replace(/^\s*(--.*)?\n/gm, '')
  return `001-schema-${createHash('sha256').update(statements).digest('hex').slice(0, 8)}`
}
