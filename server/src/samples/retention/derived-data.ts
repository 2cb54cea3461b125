// What was made of samples elsewhere and goes with them, such as what was said about one in a test. It is handed in, so that samples
// know nothing of what is made of them.
import type { Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type { Erasure } from '../own-storage/erasure-store.ts'

export type DerivedData = {
  /** About how many rows are forgotten with each of these samples; those without any are left out. */
  countRows(db: Db, sampleIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** In the transaction that takes the samples away. Returns the objects that are to be deleted. */
  forget(tx: Transaction<Database>, sampleIds: readonly string[]): Promise<Erasure[]>
  /** Objects that still hold something, at least those of these that do. */
  listObjects(db: Db, objects: readonly Erasure[]): Promise<Erasure[]>
}
