// The tables of attempts and of their moves.
import { sql, type Transaction } from 'kysely'
import type { AttemptResult, CurvePoint } from '#contract/attempt.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import { tables } from './attempt-tables.ts'
import type { AttemptMove, AttemptRow } from './attempt.ts'

type Tx = Transaction<Database>
type Reader = Db | Tx

export async function insertAttempt(tx: Tx, row: AttemptRow, why: string): Promise<void> {
  await tables(tx).insertInto('attempt').values(written(row)).execute()
  await insertMove(tx, {
    attempt_id: row.id,
    no: row.revision,
    from: row.state.phase,
    to: row.state.phase,
    why,
    at: row.created_at,
  })
}

export async function findAttempt(
  db: Reader,
  workspaceId: string,
  id: string,
): Promise<AttemptRow | null> {
  const row = await readAttempt(db, id)
  return row?.workspace_id === workspaceId ? row : null
}

export async function readAttempt(db: Reader, id: string): Promise<AttemptRow | null> {
  const row = await tables(db)
    .selectFrom('attempt')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** The one under way, queued ones included, and not one that is only put live. */
export async function findRunning(db: Reader, pipelineId: string): Promise<AttemptRow | null> {
  const row = await tables(db)
    .selectFrom('attempt')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('result', '=', 'running')
    .where('approved_by', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

export async function findNewest(db: Reader, pipelineId: string): Promise<AttemptRow | null> {
  const [row] = await listAttempts(db, pipelineId, { limit: 1, before: null, result: null })
  return row ?? null
}

/** The newest attempt of each of these pipelines. */
export async function listNewest(
  db: Reader,
  pipelineIds: readonly string[],
): Promise<Map<string, AttemptRow>> {
  const { rows } = await sql<AttemptRow>`
    select a.* from unnest(${pipelineIds}::uuid[]) as p (id) cross join lateral (
      select * from attempt where pipeline_id = p.id order by attempt_no desc limit 1
    ) a
  `.execute(db)
  return new Map(rows.map((row) => [row.pipeline_id, row]))
}

/** How many of the newest attempts of each of these pipelines stalled, one after the other. */
export async function countStalls(
  db: Reader,
  pipelineIds: readonly string[],
): Promise<Map<string, number>> {
  const stalled = sql`coalesce(error_code, '') like 'STEP\\_STALLED:%'`
  const { rows } = await sql<{ id: string; stalls: number }>`
    select p.id, count(a.id)::integer as stalls
    from unnest(${pipelineIds}::uuid[]) as p (id)
    join attempt a on a.pipeline_id = p.id and a.attempt_no > coalesce(
      (select max(attempt_no) from attempt where pipeline_id = p.id and not ${stalled}), 0)
    group by p.id
  `.execute(db)
  return new Map(rows.map(({ id, stalls }) => [id, stalls]))
}

/** Newest first; `before` is the id of the last one of the page before. */
export async function listAttempts(
  db: Reader,
  pipelineId: string,
  page: { limit: number; before: string | null; result: AttemptResult | null },
): Promise<AttemptRow[]> {
  let query = tables(db)
    .selectFrom('attempt')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .orderBy('attempt_no', 'desc')
    .limit(page.limit)
  if (page.result !== null) query = query.where('result', '=', page.result)
  if (page.before !== null) {
    const { before } = page
    query = query.where('attempt_no', '<', (eb) =>
      eb.selectFrom('attempt').select('attempt_no').where('id', '=', before),
    )
  }
  return query.execute()
}

export async function countAttempts(db: Reader, pipelineId: string): Promise<number> {
  const row = await tables(db)
    .selectFrom('attempt')
    .select(sql<string>`count(*)`.as('attempts'))
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst()
  return Number(row?.attempts ?? 0)
}

/** In the order in which they were made. */
export async function listMoves(db: Reader, attemptId: string): Promise<AttemptMove[]> {
  const rows = await tables(db)
    .selectFrom('attempt_move')
    .selectAll()
    .where('attempt_id', '=', attemptId)
    .orderBy('no')
    .execute()
  return rows.map(({ from_phase: from, to_phase: to, ...move }) => ({ ...move, from, to }))
}

/**
 * How many attempts train on its machine before it does: the one that holds the machine, in any process, and for one that has not begun
 * also those that wait since before it. An attempt that fails, has its adapter or is being closed does not hold its machine. None where
 * it does not wait for its machine.
 */
export async function countAhead(
  db: Reader,
  { id, machine, state }: Pick<AttemptRow, 'id' | 'machine' | 'state'>,
): Promise<number> {
  const isNew = state.phase === 'waiting_for_gpu'
  const isTriedAgain = state.phase === 'training' && state.failing !== undefined
  if (!isNew && !isTriedAgain) return 0
  const { rows } = await sql<{ ahead: number }>`
    select count(*)::integer as ahead from attempt
    where result = 'running' and machine = ${machine} and id <> ${id}
      and adapter is null and state->'closing' is null and case state->>'phase'
        when 'training' then state->'failing' is null or (state->'failing'->>'holds')::boolean
        when 'waiting_for_gpu' then ${isNew} and id < ${id}
        else false
      end
  `.execute(db)
  return rows[0]?.ahead ?? 0
}

/** Until the transaction ends, no other attempt begins to train on this machine. */
export async function lockMachine(tx: Tx, machine: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`training on ${machine}`}, 0))`.execute(
    tx,
  )
}

export type Changes = Partial<Omit<AttemptRow, 'id' | 'revision'>>

/**
 * False, with nothing changed, unless it is as it was read. A cancel meanwhile prevents only its end, and the attempt stays due, because
 * the cancel is not a move.
 */
export async function changeAttempt(
  tx: Tx,
  before: Pick<AttemptRow, 'id' | 'revision' | 'state' | 'cancelled_at'>,
  changes: Changes,
  move: { why: string; at: Date } | null,
): Promise<boolean> {
  const revision = before.revision + 1
  const { wake_at } = changes
  const asked = sql<boolean>`cancelled_at is not distinct from ${before.cancelled_at}::timestamptz`
  const wake = wake_at && {
    wake_at: sql<Date>`case when ${asked} then ${wake_at}::timestamptz else wake_at end`,
  }
  let query = tables(tx)
    .updateTable('attempt')
    .set({ ...written(changes), ...wake, revision })
    .where('id', '=', before.id)
    .where('revision', '=', before.revision)
  if (changes.result !== undefined) query = query.where(asked)
  const result = await query.executeTakeFirst()
  if (result.numUpdatedRows !== 1n) return false
  if (move) {
    const { phase: from } = before.state
    const to = changes.state?.phase ?? from
    await insertMove(tx, { attempt_id: before.id, no: revision, from, to, ...move })
  }
  return true
}

/** False where it has ended. Whoever asks first is remembered. */
export async function askToStop(
  db: Reader,
  which: { id: string } | { pipelineId: string },
  { at, by }: { at: Date; by: string | null },
): Promise<boolean> {
  let query = tables(db)
    .updateTable('attempt')
    .set({
      cancelled_at: sql<Date>`coalesce(cancelled_at, ${at})`,
      cancelled_by: sql<
        string | null
      >`case when cancelled_at is null then ${by}::uuid else cancelled_by end`,
      wake_at: at,
    })
    .where('result', '=', 'running')
  query =
    'id' in which
      ? query.where('id', '=', which.id)
      : query.where('pipeline_id', '=', which.pipelineId)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** The ids of attempts under way. */
export async function listRunning(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from attempt where result = 'running'
  `.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * What attempts under way need, and what others trained with its base: of those that wait for a decision, and of those that ended since
 * then. None of a deleted pipeline.
 */
export async function listNamedByAttempts(
  db: Reader,
  since: Date,
): Promise<{ models: string[]; adapters: string[] }> {
  const { rows } = await sql<{ model: string; adapter: string | null }>`
    select a.model_revision as model, a.adapter
    from attempt a join pipeline p on p.id = a.pipeline_id
    where a.result = 'running' or (a.adapter is not null and p.deleted_at is null
      and (a.result in ('waiting_for_review', 'inconclusive') or a.ended_at > ${since}))
  `.execute(db)
  return {
    models: rows.map(({ model }) => model),
    adapters: rows.map(({ adapter }) => adapter).filter((hash) => hash !== null),
  }
}

/** Null until its training has ended. */
export async function findCurve(db: Reader, attemptId: string): Promise<CurvePoint[] | null> {
  const row = await tables(db)
    .selectFrom('attempt_curve')
    .select('points')
    .where('attempt_id', '=', attemptId)
    .executeTakeFirst()
  return row?.points ?? null
}

export async function keepCurve(
  db: Reader,
  attemptId: string,
  points: readonly CurvePoint[],
): Promise<void> {
  await tables(db)
    .insertInto('attempt_curve')
    .values({ attempt_id: attemptId, points: JSON.stringify(points) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** What a member was asked to decide and has not, when another version has gone live since. */
export async function closeUndecided(
  tx: Tx,
  { pipelineId, except }: { pipelineId: string; except: string },
  { why, at }: { why: string; at: Date },
): Promise<void> {
  const rows = await tables(tx)
    .selectFrom('attempt')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('decide_by', 'is not', null)
    .where('id', '<>', except)
    .orderBy('attempt_no')
    .forUpdate()
    .execute()
  for (const row of rows) {
    const closed = { result: 'stopped', detail: why, decide_by: null, ended_at: at } as const
    await changeAttempt(tx, row, closed, { why, at })
  }
}

/** What has ended runs again from the phase that its changes say. False, with nothing changed, unless it is as it was read. */
export async function reopenAttempt(
  tx: Tx,
  before: AttemptRow,
  changes: Changes & Pick<AttemptRow, 'state'>,
  move: { why: string; at: Date },
): Promise<boolean> {
  const open = { result: 'running', decide_by: null, ended_at: null, wake_at: move.at } as const
  if (!(await changeAttempt(tx, before, { ...open, ...changes }, move))) return false
  await sql`notify attempt_due`.execute(tx)
  return true
}

/** Not a move, so whoever read the attempt before can still move it. */
export async function setVersionNo(tx: Tx, id: string, versionNo: number): Promise<void> {
  await tables(tx)
    .updateTable('attempt')
    .set({ version_no: versionNo })
    .where('id', '=', id)
    .execute()
}

async function insertMove(tx: Tx, { from, to, ...move }: AttemptMove): Promise<void> {
  await tables(tx)
    .insertInto('attempt_move')
    .values({ ...move, from_phase: from, to_phase: to })
    .execute()
}

const jsonColumns = ['state', 'training', 'settings', 'skipped_rows', 'test', 'verdict'] as const
type JsonColumn = (typeof jsonColumns)[number]
type Written<Row> = Omit<Row, JsonColumn> & { [Column in JsonColumn & keyof Row]: string }

/** With JSON as text, as it is written. */
function written<Row extends Changes>(row: Row): Written<Row> {
  const texts = jsonColumns.flatMap((name) => {
    const value = row[name]
    return value === undefined ? [] : [[name, value === null ? null : JSON.stringify(value)]]
  })
  return { ...row, ...Object.fromEntries(texts) } as Written<Row>
}
