// The table of questions: the keys of all that a pipeline has held back, used and learned. They outlive the samples, so that what comes
// back or comes again stands on the side on which its question stood.
import { sql, type Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type { KeptKey } from './join-questions.ts'
import { type KeyKind, keyKinds } from './keyed-rows.ts'
import { liveAttempts } from './live-attempts.ts'
import { keyBytes } from './question-keys.ts'
import type { QuestionMarks } from './question-marks.ts'

type Tx = Transaction<Database>

/** A statement has only seconds, and its keys stand all over the index. */
const keysPerStatement = 5_000

/** Of those that the pipeline keeps. */
export async function readKeptKeys(
  db: Db,
  pipelineId: string,
  keys: readonly string[],
): Promise<KeptKey[]> {
  const found: KeptKey[] = []
  for (let from = 0; from < keys.length; from += keysPerStatement) {
    const wanted = keys.slice(from, from + keysPerStatement).map(bytesOf)
    const { rows } = await sql<{
      kind: KeyKind
      key: Buffer
      question: Buffer
      held: boolean
      learned: boolean
    }>`
      select kind, key, question, held_at is not null as held,
        (learned_by = any(${liveAttempts(pipelineId)})) is true as learned
      from pipeline_question
      where pipeline_id = ${pipelineId} and key = any(${wanted}::bytea[])
    `.execute(db)
    for (const row of rows) {
      found.push({ ...row, key: textOf(row.key), question: textOf(row.question) })
    }
  }
  return found
}

/** Beside the marks of the samples. What is held back already stays so from then on. */
export async function markQuestions(
  tx: Tx,
  pipelineId: string,
  { keys, questions, kinds, held, used, joined }: QuestionMarks,
  { at, attemptNo }: { at: Date; attemptNo: number },
): Promise<void> {
  for (let from = 0; from < joined.length; from += keysPerStatement) {
    await joinKept(tx, pipelineId, joined.slice(from, from + keysPerStatement))
  }
  for (let from = 0; from < kinds.length; from += keysPerStatement) {
    const to = Math.min(from + keysPerStatement, kinds.length)
    await sql`
      insert into pipeline_question as q (
        pipeline_id, kind, key, question, held_at, first_used_by, used_by
      )
      select ${pipelineId}, n.kind, n.key, n.question, case n.held when 1 then ${at}::timestamptz end,
        case n.used when 1 then ${attemptNo}::integer end,
        case n.used when 1 then ${attemptNo}::integer end
      from unnest(
        ${Array.from(kinds.subarray(from, to), (kind) => keyKinds[kind])}::text[],
        ${keysIn(keys, from, to)}::bytea[], ${keysIn(questions, from, to)}::bytea[],
        ${[...held.subarray(from, to)]}::integer[], ${[...used.subarray(from, to)]}::integer[]
      ) as n (kind, key, question, held, used)
      order by n.key, n.kind
      on conflict (pipeline_id, key, kind) do update
        set question = excluded.question,
          held_at = coalesce(q.held_at, excluded.held_at),
          used_by = coalesce(excluded.used_by, q.used_by),
          first_used_by = coalesce(q.first_used_by, excluded.first_used_by)
        where q.question <> excluded.question or (q.held_at is null and excluded.held_at is not null)
          or q.used_by is distinct from coalesce(excluded.used_by, q.used_by)
    `.execute(tx)
  }
}

/** A question may have any number of keys. None of those that others become is itself one that becomes another. */
async function joinKept(tx: Tx, pipelineId: string, joined: QuestionMarks['joined']) {
  for (let changed = true; changed;) {
    const { numAffectedRows } = await sql`
      update pipeline_question q set question = f.becomes
      from (
        select n.key, n.kind, j.becomes
        from unnest(
          ${joined.map(({ from }) => bytesOf(from))}::bytea[],
          ${joined.map(({ into }) => bytesOf(into))}::bytea[]
        ) as j (was, becomes)
        join pipeline_question n on n.pipeline_id = ${pipelineId} and n.question = j.was
        limit ${keysPerStatement}
      ) as f
      where q.pipeline_id = ${pipelineId} and q.key = f.key and q.kind = f.kind
    `.execute(tx)
    changed = (numAffectedRows ?? 0n) > 0n
  }
}

/** Samples of the test of an attempt whose question a version has learned since they were held back. */
export async function listLearnedSince(
  db: Db,
  attempt: { id: string; pipeline_id: string },
): Promise<string[]> {
  const { rows } = await sql<{ sample_id: string }>`
    select t.sample_id from tested_sample t
    where t.attempt_id = ${attempt.id} and exists (
      select 1 from pipeline_question q
      where q.pipeline_id = ${attempt.pipeline_id} and q.question = t.question_key
        and q.learned_by = any(${liveAttempts(attempt.pipeline_id)})
        -- A beginning may be that of many questions.
        and q.kind <> 'prefix'
    )
  `.execute(db)
  return rows.map(({ sample_id }) => sample_id)
}

/** One buffer for each of the packed keys from `from` up to `to`. */
export function keysIn(packed: Uint8Array, from: number, to: number): Buffer[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  return Array.from({ length: to - from }, (_, index) => {
    const at = (from + index) * keyBytes
    return bytes.subarray(at, at + keyBytes)
  })
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'latin1')
}

function textOf(key: Buffer): string {
  return key.toString('latin1')
}
