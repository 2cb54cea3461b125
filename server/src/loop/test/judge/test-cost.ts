// What testing one sample costs, at most and usually, and how many samples the money is enough for.
import type { CatalogModel } from '../../../catalog/catalog-file.ts'
import { pricesOf } from '../../../catalog/model-row.ts'
import { judgePrompt } from '../../../engine/judge-prompt.ts'
import type { Picodollars } from '../../../lib/money.ts'
import { mostItCanCost } from '../../../wallet/price-usage.ts'
import { likelyTokens } from './likely-tokens.ts'
import { shownBytesMax } from './question-text.ts'
import { type AnswerQuestion, ceiling, verdictTokensMax } from './test-request.ts'
import { type SampleSizes, type TestSizes, testSizes } from './test-sizes.ts'

/** The marks of a judge prompt, whose codes are random: its bytes without what it quotes. */
const marksTokens = 700
/** What the request for a repair adds to a prompt. */
const repairTokens = 256
const instructions = { question: '', rightAnswer: '', rubric: '', a: '', b: '' }
const instructionTokens = likelyTokens(judgePrompt({ kind: 'pair', ...instructions }).system)

/** Most tokenizers make half of the tokens that are likely at most. */
const usualShare = 0.5
const usualVerdictTokens = 60

export type TestedSample = Pick<AnswerQuestion, 'conversation' | 'rightAnswer'> & {
  /** The pipeline's `use_case`. */
  rubric: string | null
}

export type TestedModels = { candidate: CatalogModel; live: CatalogModel; judge: CatalogModel }

export type TestSetup = TestedModels & Pick<TestedSample, 'rubric'>

export function mostATestCosts(sample: TestedSample, models: TestedModels): Picodollars {
  return mostForSizes(testSizes(sample), { ...models, rubric: sample.rubric })
}

/**
 * Two answers, a score of each, two comparisons, and one repair. A judge that has to be asked twice for more of the four readings is
 * rare; once a test has cost more than was reserved, nothing more is asked, and the calls under way by then are the platform's.
 */
export function mostForSizes(sizes: TestSizes, setup: TestSetup): Picodollars {
  const { candidate, live, judge } = setup
  let most = 0n
  // The judge reads answers up to their last token.
  const lengths = [candidate, live].map((row) => {
    const length = ceiling(row, sizes.answerMost)
    most += callCost(row, sizes.asked, length)
    return length
  })
  const withoutAnswers = judgeTokens(sizes, setup)
  const both = withoutAnswers + lengths.reduce((sum, length) => sum + length, 0)
  const prompts = [...lengths.map((length) => withoutAnswers + length), both, both]
  for (const tokens of [...prompts, both + repairTokens]) {
    most += callCost(judge, tokens, ceiling(judge, verdictTokensMax))
  }
  return most
}

/** Both models answer about as much as the right answer is, and the judge is understood at once. */
export function usualForSizes(sizes: SampleSizes, setup: TestSetup): Picodollars {
  const { candidate, live, judge } = setup
  const { promptTokens, answerTokens, rightAnswer } = sizes
  const withoutAnswers = judgeTokens(sizes, setup)
  const reading = (answers: number): Picodollars =>
    usualCallCost(
      judge,
      Math.ceil(usualShare * (withoutAnswers + answers * rightAnswer)),
      ceiling(judge, usualVerdictTokens),
    )
  const answers = [candidate, live].reduce(
    (sum, row) => sum + usualCallCost(row, promptTokens, answerTokens),
    0n,
  )
  const usual = answers + 2n * reading(1) + 2n * reading(2)
  const most = mostForSizes(sizes, setup)
  return usual < most ? usual : most
}

/** What a judge reads beside answers. */
function judgeTokens(sizes: TestSizes, { judge, rubric }: TestSetup): number {
  const { shown, shownBytes, rightAnswer } = sizes
  // A question that does not fit is cut to so many bytes.
  const question = Math.ceil(shown * Math.min(1, shownBytesMax(judge) / shownBytes))
  return instructionTokens + marksTokens + question + rightAnswer + likelyTokens(rubric ?? '')
}

function callCost(row: CatalogModel, promptTokens: number, outputTokens: number): Picodollars {
  return mostItCanCost(inWindow(row, promptTokens), outputTokens, row.routes.map(pricesOf))
}

function usualCallCost(row: CatalogModel, promptTokens: number, outputTokens: number): Picodollars {
  const { input, output } = pricesOf(row.routes[0]!)
  return BigInt(inWindow(row, promptTokens)) * input + BigInt(outputTokens) * output
}

function inWindow(row: CatalogModel, promptTokens: number): number {
  return Math.min(promptTokens, row.context_window)
}

/** The first so many whose sum the money is enough for. */
export function howManyToTest(costs: readonly Picodollars[], money: Picodollars): number {
  let left = money
  const first = costs.findIndex((cost) => (left -= cost) < 0n)
  return first === -1 ? costs.length : first
}
