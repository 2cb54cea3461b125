// Proves, for every wallet, that the balance is the sum of its ledger and that what is leased is the sum of
// its leases. Reads one snapshot, so it can run beside a busy server.
import { formatUsd } from '../lib/money.ts'
import type { Db } from '../storage/open-storage.ts'
import { readWalletSums, type WalletSums } from './wallet-store.ts'

export type LedgerAudit = { wallets: number; problems: string[] }

export async function auditLedger(db: Db): Promise<LedgerAudit> {
  const sums = await readWalletSums(db)
  return { wallets: sums.length, problems: sums.flatMap(walletProblems) }
}

function walletProblems(sums: WalletSums): string[] {
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
  if (sums.balance < 0n || sums.leased > sums.balance) {
    problems.push(`wallet ${sums.walletId}: more is spent or leased than there is`)
  }
  return problems
}
