// Proves, for every wallet, that the balance is the sum of its ledger, that what is leased and reserved is the sum of its leases
// and open reservations, and that each charged reservation has its entry. Reads one snapshot, so it can run beside a busy server.
import { formatUsd, type Picodollars } from '../lib/money.ts'
import type { Db } from '../storage/open-storage.ts'
import { readOpenSums, readUnmatchedCharges, type UnmatchedCharge } from './reservation-store.ts'
import { readWalletSums, type WalletSums } from './wallet-store.ts'

export type LedgerAudit = { wallets: number; problems: string[] }

export async function auditLedger(db: Db): Promise<LedgerAudit> {
  const { wallets, open, unmatched } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => ({
      wallets: await readWalletSums(tx),
      open: await readOpenSums(tx),
      unmatched: await readUnmatchedCharges(tx),
    }))
  const problems = wallets.flatMap((sums) => walletProblems(sums, open.get(sums.walletId) ?? 0n))
  return { wallets: wallets.length, problems: [...problems, ...unmatched.map(unmatchedProblem)] }
}

function walletProblems(sums: WalletSums, open: Picodollars): string[] {
  const problems: string[] = []
  if (sums.balance !== sums.entries) {
    problems.push(
      `wallet ${sums.walletId}: the balance is ${formatUsd(sums.balance)} USD but its entries add up to ${formatUsd(sums.entries)}`,
    )
  }
  if (sums.leased !== sums.leases) {
    problems.push(
      `wallet ${sums.walletId}: ${formatUsd(sums.leased)} USD are marked as leased but its leases add up to ${formatUsd(sums.leases)}`,
    )
  }
  if (sums.reserved !== open) {
    problems.push(
      `wallet ${sums.walletId}: ${formatUsd(sums.reserved)} USD are marked as reserved but its reservations add up to ${formatUsd(open)}`,
    )
  }
  if (sums.balance < 0n || sums.leased + sums.reserved > sums.balance) {
    problems.push(`wallet ${sums.walletId}: more is spent, leased or reserved than there is`)
  }
  return problems
}

function unmatchedProblem({ walletId, purpose, reservation }: UnmatchedCharge): string {
  return reservation === null
    ? `wallet ${walletId}: an entry of the kind ${purpose} has no reservation that was charged the same`
    : `wallet ${walletId}: the charge of reservation ${reservation} (${purpose}) has no entry that says the same`
}
