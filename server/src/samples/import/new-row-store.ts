// Stores the rows of a slice, as lists side by side and in one statement: all of them or none.
import { textArray } from '../../storage/array-literal.ts'
import type { Storage } from '../../storage/open-storage.ts'
import type { RowColumns } from './import-messages.ts'
import { columnCount, idsOf } from './row-columns.ts'

export type NewRowsOf = {
  workspaceId: string
  importId: string
  /** None of its rows can be there already. */
  isNew: boolean
  source: string
  tags: readonly string[]
  userId: string
  keyId: string | null
  at: Date
  expiresAt: Date
}

/**
 * Lists are unnested where rows are made of them and not in a common table, which would copy every text twice more. Looking
 * out for rows that are there already costs a quarter of the whole, so a new import does without. The others come in the order
 * of their keys, so that of two that bring the same rows one waits for the other and not both.
 */
function statementFor(isNew: boolean): string {
  const ifStored = isNew ? '' : 'where sample_id in (select id from stored)'
  return `
    with stored as (
      insert into sample (
        workspace_id, id, origin, source, tags, import_id, row_key, shape, answered, bytes,
        verdict, verdict_by, signal_id, created_at, expires_at
      )
      select $11, id, 'imported', $12, $13, $14, row_key, shape, answered, bytes,
        verdict, case when verdict is not null then 'import' end, signal_id, $15, $16
      from (
        select unnest($1::uuid[]) as id, unnest($2::text[]) as row_key, unnest($3::text[]) as shape,
          unnest($4::boolean[]) as answered, unnest($5::integer[]) as bytes,
          unnest($9::text[]) as verdict, unnest($8::uuid[]) as signal_id
      ) as given
      ${isNew ? '' : 'order by row_key on conflict do nothing returning id'}
    ), texts as (
      insert into sample_text (sample_id, workspace_id, conversation, search_text)
      select sample_id, $11, conversation, search_text
      from (
        select unnest($1::uuid[]) as sample_id, unnest($6::text[]) as conversation,
          unnest($7::text[]) as search_text
      ) as given ${ifStored}
    ), waiting as (
      insert into search_queue (workspace_id, sample_ids)
      ${isNew ? 'select $11, $1' : 'select $11, array_agg(id) from stored having count(*) > 0'}
    ), signals as (
      insert into signal (
        id, workspace_id, sample_id, verdict, correction, given_by, gold, user_id, key_id, created_at
      )
      select id, $11, sample_id, verdict, correction, 'import', true, $17, $18, $15
      from (
        select unnest($1::uuid[]) as sample_id, unnest($8::uuid[]) as id,
          unnest($9::text[]) as verdict, unnest($10::text[]) as correction
      ) as given
      where id is not null ${isNew ? '' : 'and sample_id in (select id from stored)'}
    )
    select id from ${isNew ? 'sample where false' : 'stored'}`
}

const statements = { new: statementFor(true), resumed: statementFor(false) }

/** The ids of those that were there already. */
export async function insertNewRows(
  { pool }: Pick<Storage, 'pool'>,
  of: NewRowsOf,
  rows: RowColumns,
): Promise<Set<string>> {
  const kind = of.isNew ? 'new' : 'resumed'
  const stored = await pool.queryColumns<{ id: string }>({
    name: `insert-${kind}-rows`,
    text: statements[kind],
    columns: { count: columnCount, bytes: rows.columns },
    rest: [
      of.workspaceId,
      of.source,
      textArray(of.tags),
      of.importId,
      of.at.toISOString(),
      of.expiresAt.toISOString(),
      of.userId,
      of.keyId,
    ],
  })
  const repeated = new Set(of.isNew ? [] : idsOf(rows))
  for (const { id } of stored) repeated.delete(id)
  return repeated
}
