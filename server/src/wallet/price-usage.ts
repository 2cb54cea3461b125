// What a call costs: tokens times whole pico-dollars, so the parts add up to the total and nothing is rounded.
import type { Usage } from '../core/usage.ts'
import type { Picodollars } from '../lib/money.ts'

/** Pico-dollars per token. A model without cache rates of its own bills cached tokens as input. */
export type Prices = {
  input: Picodollars
  output: Picodollars
  cacheRead: Picodollars
  cacheWrite5m: Picodollars
  cacheWrite1h: Picodollars
}

export function priceUsage(usage: Usage, prices: Prices): Picodollars {
  return (
    BigInt(usage.inputTokens) * prices.input +
    BigInt(usage.cacheReadTokens) * prices.cacheRead +
    BigInt(usage.cacheWrite5mTokens) * prices.cacheWrite5m +
    BigInt(usage.cacheWrite1hTokens) * prices.cacheWrite1h +
    BigInt(usage.outputTokens) * prices.output
  )
}

/** The most a call can cost on any of its routes: every prompt token at its dearest rate, all output used. */
export function mostItCanCost(
  promptTokens: number,
  outputTokens: number,
  routes: readonly Prices[],
): Picodollars {
  let most = 0n
  for (const prices of routes) {
    const dearest = [prices.input, prices.cacheRead, prices.cacheWrite5m, prices.cacheWrite1h]
    const perToken = dearest.reduce((a, b) => (a > b ? a : b))
    const cost = BigInt(promptTokens) * perToken + BigInt(outputTokens) * prices.output
    if (cost > most) most = cost
  }
  return most
}
