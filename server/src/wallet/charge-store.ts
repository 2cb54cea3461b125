// Charges on their way into the ledger, in groups. A group whose charges are all new and all have their lease is added up
// here and written as it is; any other is gone through charge by charge, in the database.
import { StorageUnavailable } from '../storage/storage-unavailable.ts'
import type { Picodollars } from '../lib/money.ts'
import { plainArray, textArray } from '../storage/array-literal.ts'
import type { Storage } from '../storage/open-storage.ts'
import type { Charge, PriceCard } from './charge.ts'

export async function storePriceCards(
  storage: Storage,
  cards: readonly PriceCard[],
): Promise<void> {
  await storage.pool.query(
    'store_price_cards',
    `insert into price_card select * from unnest($1::uuid[], $2::jsonb[]) on conflict do nothing`,
    [
      plainArray(cards.map(({ id }) => id)),
      textArray(cards.map(({ prices }) => JSON.stringify(prices))),
    ],
  )
}

/** Request ids that could be paid from neither lease nor free balance. The price cards are known already. */
export async function postCharges(
  storage: Storage,
  charges: readonly Charge[],
  at: Date,
): Promise<Set<string>> {
  const columns = columnsOf(charges)
  const wallets = totals(charges, (charge) => charge.walletId)
  const leases = totals(charges, (charge) => charge.leaseId)
  try {
    await storage.pool.query('post_charges', postStatement, [
      plainArray(wallets.map(([id]) => id)),
      plainArray(wallets.map(([, total]) => total)),
      plainArray(leases.map(([id]) => id)),
      plainArray(leases.map(([, total]) => total)),
      at,
      ...columns,
    ])
    return new Set()
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error
    return postDoubtfulCharges(storage, charges, columns, at)
  }
}

async function postDoubtfulCharges(
  storage: Storage,
  charges: readonly Charge[],
  columns: readonly string[],
  at: Date,
): Promise<Set<string>> {
  const rows = await storage.pool.query<{ unpaid: string }>(
    'post_charges_singly',
    singlyStatement,
    [plainArray(charges.map((charge) => charge.leaseId)), at, ...columns],
  )
  return new Set(rows.map((row) => row.unpaid))
}

const columnCount = 17
const postStatement = `select post_charges(${parameters(5 + columnCount)})`
const singlyStatement = `select unpaid from post_charges_singly(${parameters(2 + columnCount)})`

function parameters(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')
}

/** In the order of both functions' parameters. */
function columnsOf(charges: readonly Charge[]): string[] {
  const plain = (read: (charge: Charge) => string | number | bigint | null): string =>
    plainArray(charges.map(read))
  const text = (read: (charge: Charge) => string | null): string => textArray(charges.map(read))
  return [
    plain((charge) => charge.requestId),
    plain((charge) => charge.walletId),
    plain((charge) => charge.amount),
    plain((charge) => charge.workspaceId),
    plain((charge) => charge.keyId),
    text(({ call }) => call.model),
    text(({ call }) => call.route),
    text(({ call }) => call.clientRequestId),
    plain(({ call }) => call.usage.inputTokens),
    plain(({ call }) => call.usage.cacheReadTokens),
    plain(({ call }) => call.usage.cacheWrite5mTokens),
    plain(({ call }) => call.usage.cacheWrite1hTokens),
    plain(({ call }) => call.usage.outputTokens),
    plain(({ call }) => call.usage.thinkingTokens),
    plain(({ call }) => call.card.id),
    plain(({ call }) => call.latencyMs),
    plain(({ call }) => call.firstTokenMs),
  ]
}

/** In order of id, as wallets must be locked so that no two processes wait for each other. */
function totals(
  charges: readonly Charge[],
  idOf: (charge: Charge) => string,
): [id: string, total: Picodollars][] {
  const sums = new Map<string, Picodollars>()
  for (const charge of charges) {
    const id = idOf(charge)
    sums.set(id, (sums.get(id) ?? 0n) + charge.amount)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
}
