// How much a test has to show before its model is called better. Pure.
import type { EvidenceChoice } from '#contract/pipeline-settings.ts'
import { normalQuantile } from './normal.ts'

export type Evidence = {
  /** The most that luck may explain. */
  chanceMost: number
  /** The gain has to be so many of its standard errors. */
  errorsLeast: number
}

/** Spec 2, held-back test, rule 3. */
export const eachTest: Evidence = { chanceMost: 0.05, errorsLeast: 1.645 }

/** With `life` the levels of all tests on one set add up to that of a single one: 1 + 1/4 + 1/9 and so on is π²/6. */
export function evidenceFor(choice: EvidenceChoice, testNo: number): Evidence {
  if (choice === 'each') return eachTest
  const chanceMost = (eachTest.chanceMost * 6) / (Math.PI * testNo) ** 2
  return { chanceMost, errorsLeast: normalQuantile(chanceMost) }
}

/** Whether an earlier test that asked so many of these questions was on the same set. One half of which is new is another set. */
export function isSameSet({ questions, shared }: { questions: number; shared: number }): boolean {
  return 2 * shared > questions
}
