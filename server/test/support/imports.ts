// Imports over HTTP, and what they left in the database.
import assert from 'node:assert/strict'
import type { ImportResult } from '#contract/import.ts'
import type { Conversation } from '#server/samples/sample/conversation.ts'
import { insertPipeline } from '#server/loop/pipeline/pipeline-store.ts'
import { defaultSettings } from '#server/loop/pipeline/settle-settings.ts'
import { readStoredText } from '#server/samples/sample/stored-text.ts'
import { newId } from '#server/lib/id.ts'
import { inDatabase } from './in-database.ts'
import type { Answer, TestHone } from './test-hone.ts'

export type ImportCall = Record<string, unknown> & { rows: unknown }

export function postImport(hone: TestHone, call: ImportCall): Promise<Answer> {
  const body = { source: 'a file', ...call }
  return hone.call('POST', '/api/loop/import', { key: hone.owner.key, body })
}

/** An import that is expected to be served. */
export async function imported(hone: TestHone, call: ImportCall): Promise<ImportResult> {
  return served(await postImport(hone, call))
}

export function served(answer: Answer): ImportResult {
  assert.equal(answer.status, 200, answer.text)
  return answer.json as unknown as ImportResult
}

/** Rows as lines, with everything else in the query. */
export function postLines(
  hone: TestHone,
  raw: string | Uint8Array<ArrayBuffer>,
  query: Record<string, string> = {},
): Promise<Answer> {
  const parameters = new URLSearchParams({ source: 'a file', ...query })
  return hone.call('POST', `/api/loop/import?${parameters.toString()}`, {
    key: hone.owner.key,
    headers: { 'content-type': 'application/x-ndjson' },
    raw,
  })
}

export type StoredRow = {
  id: string
  workspace_id: string
  origin: string
  source: string
  tags: string[]
  shape: string
  answered: boolean
  verdict: string | null
  verdict_by: string | null
  bytes: number
  created_at: Date
  expires_at: Date
  row_key: string
  conversation: Conversation
  search_text: string
  signals: {
    id: string
    verdict: string
    correction: string | null
    given_by: string
    gold: boolean
    user_id: string | null
    key_id: string | null
  }[]
}

/** The samples of one import in the order of their ids. */
export async function storedRows(
  hone: Pick<TestHone, 'databaseUrl'>,
  importId: string,
): Promise<StoredRow[]> {
  assert.match(importId, /^[\w.:-]+$/)
  const rows = await inDatabase<StoredRow>(
    hone.databaseUrl,
    `select sample.*, sample_text.conversation,
       searched_text(sample_text.conversation, sample_text.search_text) as search_text,
       coalesce((select json_agg(signal order by signal.id) from signal where sample_id = sample.id), '[]')
         as signals
     from sample left join sample_text on sample_id = sample.id
     where import_id = '${importId}' order by sample.id`,
  )
  return rows.map((row) => ({
    ...row,
    conversation: readStoredText(row.conversation as unknown as string),
  }))
}

/** A pipeline of the workspace, past the routes. */
export async function addPipeline(
  hone: TestHone,
  workspaceId: string,
  tag: string,
  deletedAt: Date | null = null,
): Promise<string> {
  const at = new Date()
  const id = newId(at)
  await insertPipeline(hone.app.storage.db, {
    ...defaultSettings,
    id,
    workspace_id: workspaceId,
    name: tag,
    tag,
    model: 'any',
    revision: 1,
    consented_revision: 1,
    schedule_seen_at: null,
    last_skipped: 0,
    test_sizes: null,
    shortfall: null,
    created_at: at,
    updated_at: at,
    deleted_at: deletedAt,
  })
  return id
}

export async function workspaceOf(hone: TestHone): Promise<string> {
  const session = await hone.login(hone.owner.email, hone.owner.password)
  return session['x-workspace-id'] ?? ''
}

/** Rows that differ, as many as asked for. */
export function manyRows(count: number, from = 0): { prompt: string; completion: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    prompt: `Question ${from + index}`,
    completion: `Answer ${from + index}`,
  }))
}
