// Prices times tokens: whole pico-dollars, whose parts add up to the total.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Usage } from '#server/core/usage.ts'
import { formatUsd, parsePricePerMillionTokens, type Picodollars } from '#server/lib/money.ts'
import { mostItCanCost, type Prices, priceUsage } from '#server/wallet/price-usage.ts'

const price = (usdPerMillion: string): Picodollars =>
  parsePricePerMillionTokens(usdPerMillion) as Picodollars

test('a price with six decimals is exact to the last token', () => {
  const prices: Prices = {
    input: price('0.123457'),
    output: price('15.000001'),
    // 0.1, 1.25 and 2 times the input price, as the catalog file would state them.
    cacheRead: price('0.012346'),
    cacheWrite5m: price('0.154321'),
    cacheWrite1h: price('0.246914'),
  }
  const usage: Usage = {
    inputTokens: 1_000_003,
    cacheReadTokens: 999_999,
    cacheWrite5mTokens: 7,
    cacheWrite1hTokens: 13,
    outputTokens: 333_333,
    thinkingTokens: 333,
  }
  // Worked out by hand: 1000003·123457 + 999999·12346 + 7·154321 + 13·246914 + 333333·15000001 pico-dollars.
  assert.equal(priceUsage(usage, prices), 5135802981487n)
  assert.equal(formatUsd(priceUsage(usage, prices)), '5.135802981487')
})

const tokens = fc.nat({ max: 10_000_000 })
const anyUsage = fc.record({
  inputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWrite5mTokens: tokens,
  cacheWrite1hTokens: tokens,
  outputTokens: tokens,
  thinkingTokens: fc.constant(0),
})
const anyPrice = fc.bigInt({ min: 0n, max: 10n ** 9n })
const anyPrices = fc.record({
  input: anyPrice,
  output: anyPrice,
  cacheRead: anyPrice,
  cacheWrite5m: anyPrice,
  cacheWrite1h: anyPrice,
})

test('the parts of a bill add up to the bill', () => {
  fc.assert(
    fc.property(anyUsage, anyPrices, (usage, prices) => {
      const none: Usage = { ...usage }
      for (const key of Object.keys(none) as (keyof Usage)[]) none[key] = 0
      const parts = (Object.keys(usage) as (keyof Usage)[])
        .map((key) => priceUsage({ ...none, [key]: usage[key] }, prices))
        .reduce((sum, part) => sum + part, 0n)
      assert.equal(parts, priceUsage(usage, prices))
    }),
  )
})

test('a hold covers whatever the call turns out to cost, on any route', () => {
  fc.assert(
    fc.property(anyUsage, fc.array(anyPrices, { minLength: 1, maxLength: 4 }), (usage, routes) => {
      const prompt =
        usage.inputTokens +
        usage.cacheReadTokens +
        usage.cacheWrite5mTokens +
        usage.cacheWrite1hTokens
      const most = mostItCanCost(prompt, usage.outputTokens, routes)
      for (const prices of routes) assert.ok(priceUsage(usage, prices) <= most)
    }),
  )
})

test('a hold is what the dearest route can cost and no more, and nothing where all is free', () => {
  const none: Prices = { input: 0n, output: 0n, cacheRead: 0n, cacheWrite5m: 0n, cacheWrite1h: 0n }
  assert.equal(mostItCanCost(1000, 1000, [none, none]), 0n)
  for (const rate of ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const) {
    const dear = { ...none, output: 3n, [rate]: 7n }
    assert.equal(mostItCanCost(10, 100, [none, dear, { ...none, output: 3n }]), 370n)
  }
})
