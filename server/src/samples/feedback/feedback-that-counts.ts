// Which feedback on a sample counts: a person's word before an import's, an import's before a judge's score, of each the newest.
import type { Giver } from '#contract/sample.ts'

const rank: Record<Giver, number> = { judge: 0, import: 1, person: 2 }

/** Whether new feedback counts instead of the feedback that counted before it. */
export function countsInstead(given: Giver, counting: Giver | null): boolean {
  return counting === null || rank[given] >= rank[counting]
}
