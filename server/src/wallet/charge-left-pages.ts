// Charges what an earlier process delivered and wrote down, and was killed before the ledger had it.
import type { Logger } from 'pino'
import { type LeftPage, removePage } from './charge-journal.ts'
import type { Wallets } from './wallets.ts'

/** Where others may be at work in the same folder, a page that was written to since may be a living one's. */
const livingMs = 60_000

export async function chargeLeftPages(
  { wallets, log }: { wallets: Pick<Wallets, 'chargeLeft'>; log: Logger },
  pages: readonly LeftPage[],
  alone: boolean,
): Promise<void> {
  for (const page of pages) {
    const { charges, untouchedMs } = page
    // A charge that the ledger has is not charged again, so it does not matter which of these it has.
    await wallets.chargeLeft(charges)
    if (charges.length > 0) {
      log.info(
        { charges: charges.length },
        'charges that an ended process had written down are in the ledger',
      )
    }
    if (alone || untouchedMs > livingMs) await removePage(page)
  }
}
