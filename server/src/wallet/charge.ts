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
  call: ChargedCall
}

/** The call that a charge pays for, as the ledger and the statistics of usage show it. */
export type ChargedCall = {
  model: string
  route: string
  clientRequestId: string
  usage: Usage
  card: PriceCard
  latencyMs: number
  /** Null when nothing was generated. */
  firstTokenMs: number | null
}

/** The prices a call was billed at; the same prices are the same card, whoever writes it down. */
export type PriceCard = { id: string; prices: Record<string, string> }

export function priceCard(prices: Record<string, string>): PriceCard {
  const hash = createHash('sha256').update(JSON.stringify(prices)).digest('hex')
  return { id: hash.slice(0, 32), prices }
}
