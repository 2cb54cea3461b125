// The table of capture configurations: per workspace and source.
import type { Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export type CaptureConfigRow = Database['capture_config']

type Reader = Db | Transaction<Database>

export async function listCaptureConfigs(
  db: Reader,
  workspaceId: string,
): Promise<CaptureConfigRow[]> {
  return db
    .selectFrom('capture_config')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .execute()
}

export async function putCaptureConfigRow(db: Reader, row: CaptureConfigRow): Promise<void> {
  const { workspace_id: _, source: __, ...changed } = row
  await db
    .insertInto('capture_config')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'source']).doUpdateSet(changed))
    .execute()
}

export async function deleteCaptureConfigRow(
  db: Reader,
  workspaceId: string,
  source: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('capture_config')
    .where('workspace_id', '=', workspaceId)
    .where('source', '=', source)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
