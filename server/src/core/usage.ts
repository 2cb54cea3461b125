// Token counts of one call, split so that no reader has to guess what includes what: the prompt is the sum
// of its four parts, and thinking is a share of the output.
export type Usage = {
  /** Prompt tokens billed at the plain input price. */
  inputTokens: number
  cacheReadTokens: number
  cacheWrite5mTokens: number
  cacheWrite1hTokens: number
  /** Everything generated, thinking included. */
  outputTokens: number
  /** How many of `outputTokens` were thinking. */
  thinkingTokens: number
}

export const noUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
}

export function promptTokens(usage: Usage): number {
  return (
    usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
  )
}
