// A judge's score on a sample, as the loop stores it.
import type { App } from '#server/app.ts'
import { newId } from '#server/lib/id.ts'
import { insertSignal } from '#server/samples/feedback/signal-store.ts'
import { lockSample, type SampleRow } from '#server/samples/sample/sample-store.ts'

export function judgeSample(
  app: Pick<App, 'storage' | 'clock'>,
  of: { workspaceId: string; id: string },
  score: number,
): Promise<SampleRow> {
  return app.storage.db.transaction().execute(async (tx) => {
    const sample = await lockSample(tx, of.workspaceId, of.id)
    if (!sample) throw new Error('no such sample')
    const now = app.clock.now()
    return insertSignal(tx, sample, {
      id: newId(now),
      workspace_id: of.workspaceId,
      sample_id: of.id,
      verdict: score >= 0.8 ? 'accepted' : 'rejected',
      correction: null,
      given_by: 'judge',
      gold: false,
      score,
      user_id: null,
      key_id: null,
      created_at: now,
    })
  })
}
