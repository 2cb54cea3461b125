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
  const card = priceCard({
    input: formatUsd(prices.input),
    cache_read: formatUsd(prices.cacheRead),
    cache_write_5m: formatUsd(prices.cacheWrite5m),
    cache_write_1h: formatUsd(prices.cacheWrite1h),
    output: formatUsd(prices.output),
  })
  const rates = { prices, card }
  ratesByRoute.set(route, rates)
  return rates
}
