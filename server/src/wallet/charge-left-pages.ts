// Charges what an earlier process delivered and wrote down, and was killed before the ledger had it.
import type { Logger } from 'pino'
import { type LeftPage, removePage } from './charge-journal.ts'
import type { Wallets } from './wallets.ts'

/** Where others may be at work in the same folder, a page that was written to since may be a living one's. */
const livingMs = 60_000

export async function chargeLeftPages(
  { wallets, log }: { wallets: Pick<Wallets, 'ownCharges' | 'chargeLeft'>; log: Logger },
  pages: readonly LeftPage[],
  alone: boolean,
  patienceMs?: number,
): Promise<void> {
  await Promise.all(
    pages.map(async (page) => {
      const charges = await wallets.ownCharges(page.charges)
      // A charge that the ledger has is not charged again, so it does not matter which of these it has.
      const inTime = await wallets.chargeLeft(charges, patienceMs)
      if (charges.length > 0 && inTime) {
        log.info(
          { charges: charges.length },
          'charges left in the data folder by an ended process are now in the ledger',
        )
      }
      if (!inTime) {
        log.warn(
          { charges: charges.length },
          'charges left in the data folder by an ended process wait for the database',
        )
      }
      const strange = page.charges.length - charges.length
      if (strange > 0) {
        log.error(
          { charges: strange, file: page.path },
          'charges of wallets that are not in this database stay in the data folder; start Hone on the database that has them',
        )
      }
      const isLiving = !alone && page.untouchedMs <= livingMs
      if (inTime && strange === 0 && !isLiving) await removePage(page)
    }),
  )
}
