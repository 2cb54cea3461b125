// Rows of pipelines, straight on a database, for tests that need no server.
import { insertOrg, insertWorkspace } from '#server/account/account-store.ts'
import { newId } from '#server/lib/id.ts'
import { insertPipeline } from '#server/loop/pipeline/pipeline-store.ts'
import type { PipelineRow } from '#server/loop/pipeline/pipeline.ts'
import { defaultSettings } from '#server/loop/pipeline/settle-settings.ts'
import type { Storage } from '#server/storage/open-storage.ts'

/** In a workspace of its own. */
export async function keepPipeline(
  { db }: Pick<Storage, 'db'>,
  changes: Partial<PipelineRow> = {},
): Promise<PipelineRow> {
  const at = new Date()
  const [orgId, workspaceId] = [newId(at), newId(at)]
  const row: PipelineRow = {
    id: newId(at),
    workspace_id: workspaceId,
    tag: 'parcel-bot',
    ...defaultSettings,
    name: 'Parcel bot',
    model: 'hone/hone-mini',
    model_revision: 'a'.repeat(64),
    judge_model: 'hone/judge-basic',
    schedule_seen_at: null,
    last_skipped: 0,
    test_sizes: null,
    shortfall: null,
    revision: 1,
    consented_revision: 1,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    ...changes,
  }
  await db.transaction().execute(async (tx) => {
    await insertOrg(tx, { id: orgId, name: 'Org', at })
    await insertWorkspace(tx, { id: workspaceId, orgId, name: 'Main', at })
    await insertPipeline(tx, row)
  })
  return row
}
