// Shares a prompt's total out over its blocks by weight: no engine counts a block as it stands in the whole. The shares add up to
// the total, and the blocks of any prefix together get what is due to them to within one token: rounding each block
// for itself would let a prefix of many small blocks drift, and a prefix is what gets billed.

export function shareOutTokens(total: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  if (whole === 0) return weights.map((_, index) => (index === weights.length - 1 ? total : 0))
  let weightSoFar = 0
  let tokensSoFar = 0
  return weights.map((weight) => {
    weightSoFar += weight
    const due = Math.floor(share(total, weightSoFar, whole))
    const tokens = due - tokensSoFar
    tokensSoFar = due
    return tokens
  })
}

/** total × part ÷ whole. The whole gets exactly the total, however large the numbers are. */
function share(total: number, part: number, whole: number): number {
  if (part === whole) return total
  const product = total * part
  return Number.isSafeInteger(product)
    ? product / whole
    : Number((BigInt(total) * BigInt(part)) / BigInt(whole))
}
