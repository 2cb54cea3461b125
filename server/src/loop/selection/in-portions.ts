// Changes any number of rows some at a time, because a statement has only seconds.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export const rowsPerStatement = 10_000

/**
 * What is set must no longer be where it was found. Outside a transaction each portion is kept by itself, so a process that goes on
 * changes only what is left.
 */
export async function inPortions(
  db: Db | Transaction<Database>,
  { table, set, where }: { table: string; set: RawBuilder<unknown>; where: RawBuilder<unknown> },
  signal?: AbortSignal,
): Promise<void> {
  for (let changed = true; changed;) {
    signal?.throwIfAborted()
    const { numAffectedRows } = await sql`
      update ${sql.table(table)} set ${set} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${where} limit ${rowsPerStatement}
      ))
    `.execute(db)
    changed = (numAffectedRows ?? 0n) > 0n
  }
}
