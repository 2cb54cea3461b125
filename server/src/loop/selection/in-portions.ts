// Changes any number of rows some at a time, because a statement has only seconds.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../../storage/schema.ts'

export const rowsPerStatement = 10_000

/** What is set must no longer be where it was found. */
export async function inPortions(
  tx: Transaction<Database>,
  { table, set, where }: { table: string; set: RawBuilder<unknown>; where: RawBuilder<unknown> },
): Promise<void> {
  for (let changed = true; changed;) {
    const { numAffectedRows } = await sql`
      update ${sql.table(table)} set ${set} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${where} limit ${rowsPerStatement}
      ))
    `.execute(tx)
    changed = (numAffectedRows ?? 0n) > 0n
  }
}
