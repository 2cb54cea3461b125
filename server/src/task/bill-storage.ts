// Keeps the counts of what is stored short, and books and charges what storing costs.
import { foldSizes } from '../samples/sample/stored-size-store.ts'
import { bookStorage, chargeStorage } from '../samples/storage-billing/charge-storage.ts'
import type { Reconciler } from './driver.ts'

export const billStorage: Reconciler = {
  name: 'bill-storage',
  everyMs: 60_000,
  async run(app) {
    await foldSizes(app.storage.db)
    await bookStorage(app)
    await chargeStorage(app)
  },
}
