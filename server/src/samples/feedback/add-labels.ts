// Labels that come after their sample: added to those it has, never instead of them.
import type { App } from '../../app.ts'
import { joinLabels } from '../sample/join-labels.ts'
import { sampleNotFound } from '../sample/require-sample.ts'
import { lockSample } from '../sample/sample-store.ts'

export async function addLabels(
  app: App,
  { workspaceId, id }: { workspaceId: string; id: string },
  labels: readonly string[],
): Promise<void> {
  await app.storage.db.transaction().execute(async (tx) => {
    const sample = await lockSample(tx, workspaceId, id)
    if (!sample) throw sampleNotFound()
    const tags = joinLabels(sample.tags, labels)
    if (tags.length === sample.tags.length) return
    await tx
      .updateTable('sample')
      .set({ tags })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute()
  })
}
