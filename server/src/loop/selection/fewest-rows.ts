// The questions to hold back where no more than whole ones of them would do: those that cost training the fewest rows.

/** A question that may be held back, with how many rows of it could be tested with, and how many could not be trained on then. */
export type FreeQuestion = { question: number; testable: number; rows: number }

/** With at least so many rows to test with, and of equally few rows in all the most questions; null where there are too few. */
export function fewestRows(
  questions: readonly FreeQuestion[],
  least: number,
): FreeQuestion[] | null {
  // For each number of rows to test with: what the best choice so far costs, and of which question it was the last.
  const costs = new Float64Array(least + 1).fill(Number.POSITIVE_INFINITY)
  costs[0] = 0
  const takes = questions.map(({ testable, rows }) => {
    const takes = new Uint8Array(least + 1)
    const cost = rows - 1 / (questions.length + 1)
    for (let count = least; count > 0; count--) {
      const withIt = costs[Math.max(0, count - testable)]! + cost
      if (withIt >= costs[count]!) continue
      costs[count] = withIt
      takes[count] = 1
    }
    return takes
  })
  if (costs[least] === Number.POSITIVE_INFINITY) return null
  const chosen: FreeQuestion[] = []
  let count = least
  for (let at = questions.length - 1; at >= 0 && count > 0; at--) {
    if (!takes[at]![count]) continue
    chosen.push(questions[at]!)
    count = Math.max(0, count - questions[at]!.testable)
  }
  return chosen
}
