// The leases by which processes hold rows that are walked. They run out where their process dies.
import { sql } from 'kysely'
import type { Db } from './open-storage.ts'

type WalkedTable = 'attempt' | 'deployment'

export type Lease = { id: string; until: Date; processId: string }

/** False where another process has taken it. */
export async function renewLease(
  db: Db,
  table: WalkedTable,
  { id, until, processId }: Lease,
): Promise<boolean> {
  const result = await sql`
    update ${sql.table(table)} set leased_until = ${until}
    where id = ${id} and leased_by = ${processId}
  `.execute(db)
  return result.numAffectedRows === 1n
}

/** All that a process holds; null for those of all processes, when no other is on the database. */
export async function endLeases(
  db: Db,
  table: WalkedTable,
  processId: string | null,
): Promise<void> {
  const held = processId === null ? sql`true` : sql`leased_by = ${processId}`
  await sql`
    update ${sql.table(table)} set leased_until = null where leased_until is not null and ${held}
  `.execute(db)
}
