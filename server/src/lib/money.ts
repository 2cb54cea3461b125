// Money as whole pico-dollars (10⁻¹² USD) in a bigint. No float ever holds an amount.

export type Picodollars = bigint

export const picodollarsPerUsd = 1_000_000_000_000n

const decimal = /^(-?)(\d{1,15})(?:\.(\d+))?$/

/** Reads a plain decimal amount; null when it is not one or has more decimals than allowed. */
export function parseUsd(value: string | number, decimalsMax: number): Picodollars | null {
  const match = decimal.exec(String(value))
  if (!match) return null
  const [, sign, whole = '0', fraction = ''] = match
  if (fraction.length > decimalsMax) return null
  const amount =
    BigInt(whole) * picodollarsPerUsd + BigInt(fraction.padEnd(12, '0').slice(0, 12) || '0')
  return sign ? -amount : amount
}

/** The shortest exact decimal: `12.345678`, `-0.000000000001`, `100`. */
export function formatUsd(amount: Picodollars): string {
  const sign = amount < 0n ? '-' : ''
  const magnitude = amount < 0n ? -amount : amount
  const fraction = (magnitude % picodollarsPerUsd).toString().padStart(12, '0').replace(/0+$/, '')
  return `${sign}${magnitude / picodollarsPerUsd}${fraction ? `.${fraction}` : ''}`
}

/** As people read it: two decimals, and of less than a dollar three digits. */
export function readableUsd(amount: Picodollars): string {
  let step = picodollarsPerUsd / 100n
  while (step > 1n && amount < 100n * step) step /= 10n
  const [whole, decimals = ''] = formatUsd(((amount + step / 2n) / step) * step).split('.')
  return `${whole}.${decimals.padEnd(2, '0')}`
}

/** USD per 1M tokens, up to six decimals, is a whole number of pico-dollars per token. */
export function parsePricePerMillionTokens(value: string | number): Picodollars | null {
  const perMillion = parseUsd(value, 6)
  return perMillion === null || perMillion < 0n ? null : perMillion / 1_000_000n
}
