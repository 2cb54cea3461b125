// Forgets what was said in the tests of deleted pipelines.
import { forgetDeleted } from '../loop/test/forget-deleted.ts'
import type { Reconciler } from './driver.ts'

export const forgetTestWords: Reconciler = {
  name: 'forget-test-words',
  everyMs: 15_000,
  run: forgetDeleted,
}
