// A route's prices, and the card of them for the ledger; worked out once for each route of a catalog.
import type { CatalogRoute } from '../catalog/catalog-file.ts'
import { pricesOf } from '../catalog/model-row.ts'
import { formatUsd } from '../lib/money.ts'
import { type PriceCard, priceCard } from '../wallet/charge.ts'
import type { Prices } from '../wallet/price-usage.ts'

export type Rates = { prices: Prices; card: PriceCard }
const ratesByRoute = new WeakMap<CatalogRoute, Rates>()

export function ratesOf(route: CatalogRoute): Rates {
  const known = ratesByRoute.get(route)
  if (known) return known
  const prices = pricesOf(route)
  const shown = Object.entries(prices).map(([name, price]) => [name, formatUsd(price)])
  const card = priceCard(Object.fromEntries(shown) as Record<string, string>)
  const rates = { prices, card }
  ratesByRoute.set(route, rates)
  return rates
}
