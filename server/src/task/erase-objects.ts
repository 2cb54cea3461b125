// Deletes the objects of samples that are gone from the buckets they are in, and forgets how to reach a bucket that is
// neither used nor holds anything any more.
import { forgetEmptyStorages } from '../samples/own-storage/own-storage-store.ts'
import { eraseDueObjects } from '../samples/retention/erase-due-objects.ts'
import type { Reconciler } from './driver.ts'

export const eraseObjects: Reconciler = {
  name: 'erase-objects',
  everyMs: 15_000,
  async run(app) {
    while (!app.operations.closing && (await eraseDueObjects(app)));
    await forgetEmptyStorages(app.storage.db)
  },
}
