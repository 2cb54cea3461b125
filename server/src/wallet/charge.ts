// What is written into the ledger when a hold is posted, and what it was for.
import { createHash } from 'node:crypto'
import type { Usage } from '../core/usage.ts'
import type { Picodollars } from '../lib/money.ts'

export type Charge = {
  walletId: string
  leaseId: string
  amount: Picodollars
  workspaceId: string
  keyId: string | null
  /** Charged at most once, and the name of the ledger's entry. */
  requestId: string
  reason: ChargeReason
}

/** A call has columns of its own in the ledger; anything else is kept as it is told. */
export type ChargeReason = { call: ChargedCall } | { detail: Record<string, unknown> }

export type ChargedCall = {
  model: string
  clientRequestId: string
  usage: Usage
  card: PriceCard
}

/** The prices a call was billed at; the same prices are the same card, whoever writes it down. */
export type PriceCard = { id: string; prices: Record<string, string> }

export function priceCard(prices: Record<string, string>): PriceCard {
  const hash = createHash('sha256').update(JSON.stringify(prices)).digest('hex')
  return { id: hash.slice(0, 32), prices }
}
