// Goes over all rows of a pipeline in the order of their keys, some at a time, because a statement has only seconds: what is done to a
// portion reads no more than its rows, however many there are.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export const rowsPerStatement = 5000

const keysOf = { pipeline_sample: ['sample_id'], pipeline_question: ['key', 'kind'] }
export type MarkTable = keyof typeof keysOf

/** The condition that the rows of each portion meet. */
export async function* portionsOf(
  db: Db | Transaction<Database>,
  table: MarkTable,
  pipelineId: string,
): AsyncGenerator<RawBuilder<unknown>> {
  const names = keysOf[table].map((name) => sql.ref(name))
  const keys = sql.join(names)
  const backwards = sql.join(names.map((name) => sql`${name} desc`))
  let left = sql`pipeline_id = ${pipelineId}`
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`
      select ${keys} from (
        select ${keys} from ${sql.table(table)} where ${left} order by ${keys} limit ${rowsPerStatement}
      ) as portion order by ${backwards} limit 1
    `.execute(db)
    const [last] = rows
    if (!last) return
    const lastKey = sql.join(keysOf[table].map((name) => last[name]))
    yield sql`${left} and (${keys}) <= (${lastKey})`
    left = sql`pipeline_id = ${pipelineId} and (${keys}) > (${lastKey})`
  }
}
