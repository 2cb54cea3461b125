// Adds funds once per Idempotency-Key. The same key with another amount is a mistake and is refused.
import { topUpUsdMax, topUpUsdMin } from '#contract/limits.ts'
import type { Transaction } from '#contract/wallet.ts'
import { actorOf } from '../account/actor.ts'
import { recordAudit } from '../account/audit-store.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { newId } from '../lib/id.ts'
import { formatUsd, parseUsd, type Picodollars } from '../lib/money.ts'
import { addFunds, findByIdempotencyKey, readBalance } from './wallet-store.ts'

export async function topUp(
  app: App,
  caller: Caller,
  params: { amountUsd: string | number; idempotencyKey: string },
): Promise<{ transaction: Transaction; balance_usd: string }> {
  const amount = readAmount(params.amountUsd)
  const now = app.clock.now()
  const { db } = app.storage
  await db.transaction().execute(async (tx) => {
    const balance = await addFunds(tx, {
      entryId: newId(now),
      walletId: caller.org.id,
      kind: 'top_up',
      amount,
      workspaceId: caller.workspace.id,
      keyId: caller.key?.id ?? null,
      idempotencyKey: params.idempotencyKey,
      detail: { user_id: caller.user.id },
      at: now,
    })
    if (balance === null) return
    await recordAudit(
      tx,
      actorOf(caller),
      { action: 'wallet.topped_up', targetId: null, detail: { amount_usd: formatUsd(amount) } },
      now,
    )
  })
  const transaction = await findByIdempotencyKey(db, caller.org.id, params.idempotencyKey)
  if (!transaction) throw new Error('a top-up that was just added cannot be found')
  if (transaction.amount_usd !== formatUsd(amount)) {
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      `This Idempotency-Key added ${transaction.amount_usd} USD before; use a new key for another amount.`,
    )
  }
  return { transaction, balance_usd: formatUsd(await readBalance(db, caller.org.id)) }
}

function readAmount(value: string | number): Picodollars {
  const amount = parseUsd(value, 6)
  const min = parseUsd(topUpUsdMin, 6) as Picodollars
  const max = parseUsd(topUpUsdMax, 6) as Picodollars
  if (amount === null || amount < min || amount > max) {
    throw new Refusal(
      'BAD_REQUEST',
      `amount_usd must be a decimal from ${topUpUsdMin} to ${topUpUsdMax} with at most 6 decimals.`,
    )
  }
  return amount
}
