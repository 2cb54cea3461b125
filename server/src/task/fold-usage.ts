// Adds the calls that were made since to the sums of their days, where they are many.
import { foldEntries, foldRecords, walletsToFold } from '../usage/usage-day-store.ts'
import type { App } from '../app.ts'
import type { Reconciler } from './driver.ts'

const beforeAll = '00000000-0000-0000-0000-000000000000'
const atOnce = 10_000

export const foldUsage: Reconciler = {
  name: 'fold-usage',
  everyMs: 60_000,
  run: (app) => foldCalls(app, atOnce),
}

export async function foldCalls(
  app: Pick<App, 'storage'> & { operations: { closing: boolean } },
  atOnce: number,
): Promise<void> {
  const { db } = app.storage
  const failures: unknown[] = []
  const foldAll = async (foldNext: () => Promise<boolean>): Promise<void> => {
    try {
      while (!app.operations.closing && (await foldNext()));
    } catch (error) {
      failures.push(error)
    }
  }
  let wallets = await walletsToFold(db, beforeAll, atOnce)
  while (wallets && !app.operations.closing) {
    for (const walletId of wallets.ids) await foldAll(() => foldEntries(db, walletId, atOnce))
    wallets = await walletsToFold(db, wallets.last, atOnce)
  }
  await foldAll(() => foldRecords(db, atOnce))
  // What failed for one is no reason not to go on with the others.
  if (failures.length > 0) throw failures[0]
}
