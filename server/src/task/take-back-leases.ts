// Gives back to its wallet what a process had leased that stopped renewing it.
import type { App } from '../app.ts'
import { formatUsd } from '../lib/money.ts'
import { takeBackLeases } from '../wallet/wallet-store.ts'
import type { Reconciler } from './driver.ts'

export const takeBackExpiredLeases: Reconciler = {
  name: 'take-back-leases',
  everyMs: 5_000,
  run: (app) => takeBack(app, false),
}

/** With `ofEveryone` also the leases that have not run out: for whoever knows to be alone on the database. */
export async function takeBack(
  app: Pick<App, 'storage' | 'log'>,
  ofEveryone: boolean,
): Promise<void> {
  for (const lease of await takeBackLeases(app.storage, ofEveryone)) {
    app.log.warn(
      {
        process_id: lease.processId,
        wallet_id: lease.walletId,
        returned_usd: formatUsd(lease.amount),
      },
      'a process ended without returning the funds it had leased; its calls in flight were not billed',
    )
  }
}
