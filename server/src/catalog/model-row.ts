// A catalog entry as clients see it.
import type { z } from 'zod'
import type { ModelRow, priceBand } from '#contract/model.ts'
import type { Picodollars } from '../lib/money.ts'
import type { Prices } from '../wallet/price-usage.ts'
import type { CatalogModel, CatalogRoute } from './catalog-file.ts'

export function pricesOf(route: CatalogRoute): Prices {
  const { pricing } = route
  return {
    input: pricing.input,
    output: pricing.output,
    cacheRead: pricing.cache_read ?? pricing.input,
    cacheWrite5m: pricing.cache_write_5m ?? pricing.input,
    cacheWrite1h: pricing.cache_write_1h ?? pricing.input,
  }
}

export function modelRow(model: CatalogModel): ModelRow {
  const created = new Date(model.created)
  const rates = model.routes.map((route) => route.pricing)
  const cacheBand = (key: 'cache_read' | 'cache_write_5m' | 'cache_write_1h') => {
    if (!rates.some((rate) => rate[key] !== undefined)) return {}
    return { [key]: band(rates.map((rate) => rate[key] ?? rate.input)) }
  }
  return {
    id: model.id,
    object: 'model',
    type: 'model',
    created: Math.floor(created.getTime() / 1000),
    created_at: created.toISOString(),
    owned_by: model.owned_by,
    display_name: model.display_name ?? model.id,
    lifecycle: 'active',
    pricing: {
      input: band(rates.map((rate) => rate.input)),
      output: band(rates.map((rate) => rate.output)),
      ...cacheBand('cache_read'),
      ...cacheBand('cache_write_5m'),
      ...cacheBand('cache_write_1h'),
    },
    supports_vision: model.supports_vision,
    supports_tools: model.supports_tools,
    context_window: model.context_window,
    max_output_tokens: model.max_output_tokens,
    max_input_tokens: model.context_window,
    max_tokens: model.max_output_tokens,
    reasoning_efforts: model.reasoning?.efforts ?? [],
    reasoning_default: model.reasoning?.default ?? null,
    reasoning_required: model.reasoning?.required ?? false,
    prompt_caching: {
      type: model.prompt_caching.type,
      min_tokens: model.prompt_caching.min_tokens,
      bills_writes: model.prompt_caching.bills_writes,
    },
  }
}

function band(prices: Picodollars[]): z.infer<typeof priceBand> {
  // Whole pico-dollars per token are USD per 1M tokens with six decimals: exact as a JSON number.
  const usd = prices.map((price) => Number(price) / 1_000_000)
  return { min: Math.min(...usd), max: Math.max(...usd) }
}
