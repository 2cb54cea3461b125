// The tables of samples, in batches: rows come in by the thousand and leave by the thousand. Reading lists is search's own.
import { type Transaction, sql } from 'kysely'
import type { TraceSummary } from '#contract/sample.ts'
import { plainArray, textArray } from '../../storage/array-literal.ts'
import type { Db, Storage } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type { NewSample } from './sample.ts'

// All texts come as one piece of bytes, and each row says where its own are: nothing has to be quoted and read again. Rows come
// in the order of what must be theirs alone, so that of two that bring the same ones one waits for the other and not both.
const insertStatement = `
  with given as (
    select * from unnest(
      $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::text[], $12::boolean[], $13::integer[], $14::integer[], $15::integer[],
      $16::text[], $17::integer[], $18::float8[], $19::float8[],
      $20::uuid[], $21::text[], $22::text[], $23::text[], $24::boolean[], $25::uuid[], $26::uuid[],
      $27::integer[]
    ) as g (
      workspace_id, id, origin, source, model, tags, request_id, import_id,
      row_key, shape, answered, text_at, conversation_bytes, search_bytes,
      object_key, bytes, created_at, expires_at,
      signal_id, verdict, correction, given_by, gold, user_id, key_id,
      version_no
    )
  ), stored as (
    insert into sample (
      workspace_id, id, origin, source, model, tags, request_id, import_id, row_key, shape, answered,
      verdict, verdict_by, signal_id, object_key, bytes, created_at, expires_at, version_no
    )
    select workspace_id, id, origin, source, model, string_to_array(tags, ','), request_id,
      import_id, row_key, shape, answered, verdict, given_by, signal_id, object_key, bytes,
      to_timestamp(created_at), to_timestamp(expires_at), version_no
    from given
    order by workspace_id, import_id, row_key, request_id
    on conflict do nothing
    returning id
  ), kept as (
    select given.* from given join stored using (id)
  ), texts as (
    insert into sample_text (sample_id, workspace_id, conversation, search_text)
    select id, workspace_id,
      convert_from(substring($1::bytea from text_at for conversation_bytes), 'UTF8'),
      convert_from(substring($1::bytea from text_at + conversation_bytes for search_bytes), 'UTF8')
    from kept where object_key is null
  ), waiting as (
    insert into search_queue (workspace_id, sample_ids)
    select workspace_id, array_agg(id) from kept where object_key is null group by workspace_id
  ), signals as (
    insert into signal (
      id, workspace_id, sample_id, verdict, correction, given_by, gold, user_id, key_id, created_at
    )
    select signal_id, workspace_id, id, verdict, correction, given_by, gold, user_id, key_id,
      to_timestamp(created_at)
    from kept where signal_id is not null
  )
  select id from stored`

/** Stores all of those that are not there yet or none; returns their ids. */
export async function insertSamples(
  storage: Pick<Storage, 'pool'>,
  samples: readonly NewSample[],
): Promise<Set<string>> {
  const stored = await insertAbsent(storage, samples)
  const repeated = samples.filter(({ id, requestId }) => requestId !== null && !stored.has(id))
  if (repeated.length === 0 || !(await freeRequestIds(storage, repeated))) return stored
  return new Set([...stored, ...(await insertAbsent(storage, repeated))])
}

const freeStatement = `
  with over as (
    select sample.workspace_id, sample.id
    from sample join unnest($1::uuid[], $2::text[], $3::timestamptz[]) as g (workspace_id, request_id, at)
      using (workspace_id, request_id)
    where sample.expires_at <= g.at
    order by sample.id
    for update of sample
  )
  update sample set request_id = null
  from over where sample.workspace_id = over.workspace_id and sample.id = over.id
  returning sample.id`

/** Samples that were over when these came and only wait to be erased give up their request ids; true when one did. */
async function freeRequestIds(
  { pool }: Pick<Storage, 'pool'>,
  samples: readonly NewSample[],
): Promise<boolean> {
  const freed = await pool.query('free-request-ids', freeStatement, [
    samples.map((sample) => sample.workspaceId),
    samples.map((sample) => sample.requestId),
    samples.map((sample) => sample.createdAt.toISOString()),
  ])
  return freed.length > 0
}

async function insertAbsent(
  { pool }: Pick<Storage, 'pool'>,
  samples: readonly NewSample[],
): Promise<Set<string>> {
  const texts = (value: (sample: NewSample) => string | null): string =>
    textArray(samples.map(value))
  const plain = (value: (sample: NewSample) => string | number | boolean | null): string =>
    plainArray(samples.map(value))
  const { bytes, placed } = joinTexts(samples)
  const rows = await pool.query<{ id: string }>('insert-samples', insertStatement, [
    bytes,
    plain((s) => s.workspaceId),
    plain((s) => s.id),
    texts((s) => s.origin),
    texts((s) => s.source),
    texts((s) => s.model),
    texts((s) => s.tags.join(',')),
    texts((s) => s.requestId),
    texts((s) => s.importId),
    texts((s) => s.rowKey),
    texts((s) => s.shape),
    plain((s) => s.answered),
    plainArray(placed.map((text) => text.at)),
    plainArray(placed.map((text) => text.conversationBytes)),
    plainArray(placed.map((text) => text.searchBytes)),
    texts((s) => s.objectKey),
    plain((s) => s.text.bytes),
    plain((s) => s.createdAt.getTime() / 1000),
    plain((s) => s.expiresAt.getTime() / 1000),
    plain((s) => s.signal?.id ?? null),
    texts((s) => s.signal?.verdict ?? null),
    texts((s) => s.signal?.correction ?? null),
    texts((s) => s.signal?.givenBy ?? null),
    plain((s) => s.signal?.gold ?? null),
    plain((s) => s.signal?.userId ?? null),
    plain((s) => s.signal?.keyId ?? null),
    plain((s) => s.versionNo),
  ])
  return new Set(rows.map((row) => row.id))
}

type PlacedText = { at: number; conversationBytes: number; searchBytes: number | null }

/** The texts that stay in the database, one behind the other; places are counted from 1, as the database does. */
function joinTexts(samples: readonly NewSample[]): { bytes: Buffer; placed: PlacedText[] } {
  const pieces: Buffer[] = []
  let at = 1
  const placed = samples.map(({ objectKey, text }) => {
    if (objectKey !== null) return { at, conversationBytes: 0, searchBytes: 0 }
    const conversation = Buffer.from(text.conversation)
    const search = text.searchText === null ? null : Buffer.from(text.searchText)
    pieces.push(conversation, ...(search ? [search] : []))
    const searchBytes = search && search.length
    const place = { at, conversationBytes: conversation.length, searchBytes }
    at += conversation.length + (searchBytes ?? 0)
    return place
  })
  return { bytes: Buffer.concat(pieces), placed }
}

export type SampleRow = Database['sample']

/** A sample by its own id or by the id that a repeated call was given. */
export async function findSample(
  db: Db | Transaction<Database>,
  workspaceId: string,
  id: string,
): Promise<SampleRow | null> {
  const row = await db
    .selectFrom('sample')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) =>
      eb.fn.coalesce(
        eb
          .selectFrom('sample_alias')
          .select('sample_id')
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id),
        sql<string>`${id}::uuid`,
      ),
    )
    .executeTakeFirst()
  return row ?? null
}

/** Whoever has it: what is stored elsewhere is not on its way to somebody else. */
export async function isInAnyWorkspace(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from workspace w, lateral (
        select from sample s where s.workspace_id = w.id and s.id = ${id}
        union all
        select from sample_alias a where a.workspace_id = w.id and a.id = ${id}
      ) as named
    ) as found
  `.execute(db)
  return rows[0]?.found ?? false
}

/** Until the transaction ends, nobody else gives feedback on it or deletes it. */
export async function lockSample(
  tx: Transaction<Database>,
  workspaceId: string,
  id: string,
): Promise<SampleRow | null> {
  const row = await tx
    .selectFrom('sample')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function readSampleText(db: Db, sampleId: string): Promise<string | null> {
  const row = await db
    .selectFrom('sample_text')
    .select('conversation')
    .where('sample_id', '=', sampleId)
    .executeTakeFirst()
  return row?.conversation ?? null
}

/** Of those whose text is in the database. */
export async function readSampleTexts(
  db: Db,
  sampleIds: readonly string[],
): Promise<Map<string, string>> {
  if (sampleIds.length === 0) return new Map()
  const { rows } = await sql<{ sample_id: string; conversation: string }>`
    select sample_id, conversation from sample_text where sample_id = any(${sampleIds}::uuid[])
  `.execute(db)
  return new Map(rows.map(({ sample_id, conversation }) => [sample_id, conversation]))
}

/** Their objects and their places in the search are the caller's to remove first. */
export async function deleteSamples(
  tx: Transaction<Database>,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.deleteFrom('signal').where('sample_id', 'in', ids).execute()
  await tx.deleteFrom('sample_text').where('sample_id', 'in', ids).execute()
  await tx.deleteFrom('sample_alias').where('sample_id', 'in', ids).execute()
  await tx
    .deleteFrom('sample')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute()
}

export function summaryOf(row: SampleRow): TraceSummary {
  return {
    id: row.id,
    origin: row.origin as TraceSummary['origin'],
    source: row.source,
    model: row.model,
    version_no: row.version_no,
    tags: row.tags,
    request_id: row.request_id,
    import_id: row.import_id,
    answered: row.answered,
    verdict: row.verdict as TraceSummary['verdict'],
    verdict_by: row.verdict_by as TraceSummary['verdict_by'],
    score: row.score,
    where: row.object_key === null ? 'platform' : 'your_storage',
    bytes: row.bytes,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

const aliasStatement = `
  insert into sample_alias (workspace_id, id, sample_id)
  select g.workspace_id, g.id, s.id
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as g (workspace_id, id, request_id)
  join sample s on s.workspace_id = g.workspace_id and s.request_id = g.request_id and s.id <> g.id
  order by s.id for key share of s
  on conflict (workspace_id, id) do update set sample_id = excluded.sample_id
  returning id`

/** Points the ids of repeated calls at the sample that their request id became; returns the ids that were. */
export async function insertAliases(
  { pool }: Pick<Storage, 'pool'>,
  samples: readonly NewSample[],
): Promise<Set<string>> {
  const rows = await pool.query<{ id: string }>('insert-sample-aliases', aliasStatement, [
    samples.map((sample) => sample.workspaceId),
    samples.map((sample) => sample.id),
    samples.map((sample) => sample.requestId),
  ])
  return new Set(rows.map((row) => row.id))
}
