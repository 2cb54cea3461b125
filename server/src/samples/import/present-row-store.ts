// Rows of an import that were stored by an earlier call: which samples they are, and feedback for those without a review.
import type { Storage } from '../../storage/open-storage.ts'
import type { PreparedRow } from './import-messages.ts'
import type { PresentRow } from './import-tally.ts'

// Spec 2, import rule 4: feedback that is there already, from a person or an import, is not overruled. A judge's score is no
// review. Samples are locked in the order of their ids, as by those who delete some: so no two of these wait for each other. A
// sample without an answer takes a correction and no verdict on the answer that it does not have.
const reviewStatement = `
  with given as (
    select * from unnest($3::text[], $4::uuid[], $5::text[], $6::text[])
      as g (row_key, signal_id, verdict, correction)
  ), present as (
    select sample.id, sample.row_key, coalesce(sample.verdict_by, 'judge') = 'judge' as unreviewed,
      sample.expires_at <= $9 as expired
    from sample join given using (row_key)
    where sample.workspace_id = $1 and sample.import_id = $2
  ), unmarked as (
    select sample.id, given.signal_id, given.verdict, given.correction
    from sample join given using (row_key)
    where sample.workspace_id = $1 and sample.import_id = $2
      and coalesce(sample.verdict_by, 'judge') = 'judge' and given.verdict is not null and sample.expires_at > $9
      and (sample.answered or given.verdict = 'edited')
    order by sample.id
    for no key update of sample
  ), marked as (
    update sample
    set verdict = given.verdict, verdict_by = 'import', signal_id = given.signal_id, score = null
    from unmarked as given
    where sample.workspace_id = $1 and sample.id = given.id
      and coalesce(sample.verdict_by, 'judge') = 'judge'
    returning sample.id, given.signal_id, given.verdict, given.correction
  ), written as (
    insert into signal (
      id, workspace_id, sample_id, verdict, correction, given_by, gold, user_id, key_id, created_at
    )
    select signal_id, $1, id, verdict, correction, 'import', true, $7, $8, $9 from marked
  )
  select present.id, present.row_key, present.expired, present.unreviewed,
    marked.id is not null as marked
  from present left join marked using (id)`

export type ReviewOf = {
  workspaceId: string
  importId: string
  userId: string
  keyId: string | null
  at: Date
}

/** By the key of the row. Samples whose time is over get no feedback. */
export async function reviewPresentRows(
  { pool }: Pick<Storage, 'pool'>,
  of: ReviewOf,
  rows: readonly PreparedRow[],
): Promise<Map<string, PresentRow>> {
  const found = await pool.query<PresentRow & { row_key: string }>(
    'review-present-rows',
    reviewStatement,
    [
      of.workspaceId,
      of.importId,
      rows.map((row) => row.rowKey),
      rows.map((row) => row.feedback?.signalId ?? null),
      rows.map((row) => row.feedback?.verdict ?? null),
      rows.map((row) => row.feedback?.correction ?? null),
      of.userId,
      of.keyId,
      of.at,
    ],
  )
  return new Map(found.map(({ row_key, ...row }) => [row_key, row]))
}

const readStatement = `
  select id, row_key, expires_at <= $4 as expired, coalesce(verdict_by, 'judge') = 'judge' as unreviewed,
    coalesce(signal_id = given_signal, false) as marked
  from sample
  join unnest($3::text[], $5::uuid[]) as g (given_key, given_signal) on row_key = given_key
  where workspace_id = $1 and import_id = $2`

/** What the same rows are after a review whose answer never came. */
export async function readPresentRows(
  { pool }: Pick<Storage, 'pool'>,
  of: Pick<ReviewOf, 'workspaceId' | 'importId' | 'at'>,
  rows: readonly PreparedRow[],
): Promise<Map<string, PresentRow>> {
  const found = await pool.query<PresentRow & { row_key: string }>(
    'read-present-rows',
    readStatement,
    [
      of.workspaceId,
      of.importId,
      rows.map((row) => row.rowKey),
      of.at,
      rows.map((row) => row.feedback?.signalId ?? null),
    ],
  )
  return new Map(found.map(({ row_key, ...row }) => [row_key, row]))
}
