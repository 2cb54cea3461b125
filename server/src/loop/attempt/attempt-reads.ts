// Which attempts are shown. Those of a deleted pipeline are kept and hidden. Spec 2, deletion.
import type { Db } from '../../storage/open-storage.ts'
import { findAttempt } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'

export async function findShownAttempt(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<AttemptRow | null> {
  const row = await findAttempt(db, workspaceId, id)
  if (row === null) return null
  const pipeline = await db
    .selectFrom('pipeline')
    .select('deleted_at')
    .where('id', '=', row.pipeline_id)
    .executeTakeFirstOrThrow()
  return pipeline.deleted_at === null ? row : null
}
