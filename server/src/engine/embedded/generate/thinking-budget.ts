// How many tokens of thinking each effort level is worth before the thought is closed. The ceiling on output
// is not looked at: thinking may use all of it (spec 1, reasoning rule 7).
import type { Effort } from '../../../core/request.ts'

const tokensOf: Record<Effort, number> = {
  minimal: 48,
  low: 64,
  medium: 128,
  high: 256,
  xhigh: 512,
  max: 1024,
}

/** Null means no thinking at all. A budget that the caller named in tokens wins over the level's. */
export function thinkingBudget(effort: Effort | null, named: number | null): number | null {
  return effort === null ? null : (named ?? tokensOf[effort])
}
