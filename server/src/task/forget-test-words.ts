// Forgets what was said in the tests of deleted pipelines, and what they have learned.
import { removeMarksOf } from '../loop/selection/mark-store.ts'
import { forgetDeleted } from '../loop/test/forget-deleted.ts'
import type { Reconciler } from './driver.ts'

export const forgetTestWords: Reconciler = {
  name: 'forget-test-words',
  everyMs: 15_000,
  run: (app) =>
    forgetDeleted(app, (pipelineId) =>
      removeMarksOf(app.storage.db, pipelineId, () => app.operations.closing),
    ),
}
