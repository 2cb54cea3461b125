// The wallet as its organization sees it.
import type { z } from 'zod'
import type { Transaction, wallet } from '#contract/wallet.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { formatUsd } from '../lib/money.ts'
import { reservedFunds } from './reserve.ts'
import { listLedger, readBalance, readHeldElsewhere } from './wallet-store.ts'

export async function readWallet(app: App, caller: Caller): Promise<z.infer<typeof wallet>> {
  const { db } = app.storage
  await app.money.wallets.chargesWritten()
  const held =
    app.money.wallets.held(caller.org.id) +
    (await readHeldElsewhere(db, caller.org.id, app.money.wallets.processId)) +
    (await reservedFunds(app, caller.org.id))
  return {
    balance_usd: formatUsd(await readBalance(db, caller.org.id)),
    held_usd: formatUsd(held),
  }
}

export async function listTransactions(
  app: App,
  caller: Caller,
  page: { limit: number; beforeSeq: string | null },
): Promise<{ seq: string; transaction: Transaction }[]> {
  await app.money.wallets.chargesWritten()
  const entries = await listLedger(app.storage.db, caller.org.id, page)
  return entries.map(({ seq, transaction }) => ({
    seq,
    transaction: asShownTo(caller, transaction),
  }))
}

/**
 * All of a wallet's entries make up its balance, so a key sees them all. But it is bound to one workspace, and what the clients of
 * others write is not for it.
 */
function asShownTo(caller: Caller, transaction: Transaction): Transaction {
  const { workspace_id, detail } = transaction
  if (caller.kind !== 'key' || workspace_id === caller.workspace.id) return transaction
  if (!('client_request_id' in detail)) return transaction
  return { ...transaction, detail: { ...detail, client_request_id: null } }
}
