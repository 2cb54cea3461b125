// Erases samples that are past their retention (spec 2, Limits: sample retention).
import { expireBatch } from '../samples/retention/expire-batch.ts'
import type { Reconciler } from './driver.ts'

export const expireSamples: Reconciler = {
  name: 'expire-samples',
  everyMs: 60_000,
  async run(app) {
    while (!app.operations.closing && (await expireBatch(app)));
  },
}
