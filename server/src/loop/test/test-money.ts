// Whether the money that a test may cost is enough for the fewest samples that decide one, and the sentence that says so. Pure.
import type { Catalog } from '../../catalog/catalog.ts'
import { picodollarsPerUsd, type Picodollars, readableUsd } from '../../lib/money.ts'
import type { ScoringCap } from './judge/scoring-cap.ts'
import { mostForSizes, type TestSetup } from './judge/test-cost.ts'
import { leastSizes, type TestSizes } from './judge/test-sizes.ts'
import { scoredLeast } from './verdict/verdict-of-counts.ts'

/** Spec 2, limits: the most that the scoring of an attempt may cost, and of that while any benchmark is attached. */
export const scoringUsdMax = 25n
const benchmarksUsd = 10n

/** What of a pipeline its tests depend on. */
export type TestedPipeline = {
  model: string
  judge_model: string
  use_case: string | null
  test_sizes: TestSizes | null
}

export type TestMoney = {
  amount: Picodollars
  /** Of an attempt, or of the scoring key in the month. */
  limit: 'attempt' | 'month'
}

/** Spec 2, limits. */
export function testMoney({ left }: Pick<ScoringCap, 'left'>, benchmarks = 0): TestMoney {
  const usd = benchmarks > 0 ? scoringUsdMax - benchmarksUsd : scoringUsdMax
  const most = usd * picodollarsPerUsd
  return left < most ? { amount: left, limit: 'month' } : { amount: most, limit: 'attempt' }
}

/** What a pipeline's tests ask; null where a model is not in the catalog any more. */
export function testSetupOf(
  catalog: Catalog,
  row: Omit<TestedPipeline, 'test_sizes'>,
): TestSetup | null {
  const [model, judge] = [catalog.find(row.model), catalog.find(row.judge_model)]
  return model && judge && { candidate: model, live: model, judge, rubric: row.use_case }
}

/** Null where enough samples can be paid for. Before any were measured, they are taken to be as short as can be. */
export function shortOfMoney(
  sizes: TestSizes | null,
  setup: TestSetup,
  money: TestMoney,
): string | null {
  const needed = BigInt(scoredLeast) * mostForSizes(sizes ?? leastSizes, setup)
  if (needed <= money.amount) return null
  const { judge, rubric: _, candidate } = setup
  const [allowed, when] =
    money.limit === 'attempt'
      ? [`a test may cost ${readableUsd(money.amount)} USD`, '']
      : [
          `its tests may cost only ${readableUsd(money.amount)} USD more in this month`,
          ' before the next month',
        ]
  return `The ${scoredLeast} samples that decide a test can cost ${readableUsd(needed)} USD with the judge ${judge.id} and the model ${candidate.id}, and ${allowed}, so nothing trains${when}. Save the pipeline with a cheaper judge_model, or let it select shorter samples; a dry run counts again.`
}

export function unaffordableTest(
  { catalog }: { catalog: Catalog },
  row: TestedPipeline,
  cap: Pick<ScoringCap, 'left'>,
): string | null {
  const setup = testSetupOf(catalog, row)
  return setup && shortOfMoney(row.test_sizes, setup, testMoney(cap))
}
