// The most that testing one sample can cost, and how many samples the money is enough for.
import type { CatalogModel } from '../../catalog/catalog-file.ts'
import { pricesOf } from '../../catalog/model-row.ts'
import type { Block } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'
import { promptTokensBy } from '../../inference/prompt-tokens-max.ts'
import type { Picodollars } from '../../lib/money.ts'
import { mostItCanCost } from '../../wallet/price-usage.ts'
import type { Conversation } from '../sample/conversation.ts'
import { answerText } from './answer-text.ts'
import { questionTokensMax } from './ask-model.ts'
import { questionText } from './question-text.ts'
import { answerRequest, readingRequest } from './test-request.ts'

/** With the order of the answers swapped. */
const comparisons = 2n
/** The marks of a judge prompt, whose codes are random: its bytes without what it quotes. */
const marksTokens = 700
/** What the request for a repair adds to a prompt. */
const repairTokens = 256

export type TestedSample = {
  conversation: Pick<Conversation, 'tools' | 'system' | 'messages'>
  rightAnswer: readonly Block[]
  /** The pipeline's `use_case`. */
  rubric: string | null
}

export type TestedModels = { candidate: CatalogModel; live: CatalogModel; judge: CatalogModel }

/**
 * Two answers, a score of each, two comparisons, and one repair. A judge that has to be asked twice for more of the four readings is
 * rare, and what that costs beyond the money is the platform's: an attempt is never charged more than was reserved.
 */
export function mostATestCosts(sample: TestedSample, models: TestedModels): Picodollars {
  const { conversation, rightAnswer, rubric } = sample
  const { judge } = models
  const rows = [models.candidate, models.live]
  const answers = rows.map((row) =>
    answerRequest({ model: row.id, row, conversation, rightAnswer }),
  )
  // Both are asked the same.
  const questionTokens = Math.min(promptTokensBy(likelyTokens, answers[0]!), questionTokensMax)
  let most = 0n
  answers.forEach((request, index) => {
    most += callCost(rows[index]!, questionTokens, request)
  })

  const texts = [questionText(conversation, judge), answerText(rightAnswer), rubric ?? '']
  const reading = readingRequest({
    judgeModel: judge.id,
    row: judge,
    question: { kind: 'pair', question: '', rightAnswer: '', rubric: '', a: '', b: '' },
  })
  const instructions = reading.system.reduce((sum, { text }) => sum + likelyTokens(text), 0)
  const withoutAnswers = texts.reduce(
    (sum, text) => sum + likelyTokens(text),
    instructions + marksTokens,
  )
  // The judge reads answers up to their last token.
  const lengths = answers.map(({ maxTokens = 0 }) => maxTokens)
  const both = withoutAnswers + lengths.reduce((sum, length) => sum + length, 0)
  for (const length of lengths) {
    most += callCost(judge, withoutAnswers + length, reading)
  }
  most += comparisons * callCost(judge, both, reading)
  return most + callCost(judge, both + repairTokens, reading)
}

function callCost(
  row: CatalogModel,
  promptTokens: number,
  { maxTokens = 0 }: CallRequest,
): Picodollars {
  const inWindow = Math.min(promptTokens, row.context_window)
  return mostItCanCost(inWindow, maxTokens, row.routes.map(pricesOf))
}

/** So many letters and spaces are at most a token, in words. */
const lettersPerToken = 2
/** Longer runs of letters are no words of a language that is written with spaces, but keys and encoded data. */
const wordLettersMax = 24

/**
 * More tokens than tokenizers of today make of a text: half of the letters and spaces of words, and a token for every other byte.
 * Large models have four letters of English a token and three of most languages in Latin letters; the bundled one, whose vocabulary is
 * small, has two. It is no proof, because a tokenizer may cut a rare word into single letters. But it counts too much of everything
 * else, so that over the samples of a test the sum holds; where it does not, the platform pays the rest, because an attempt is never
 * charged more than was reserved.
 */
export function likelyTokens(text: string): number {
  let tokens = 0
  let run = 0
  let inWords = 0
  const endRun = (): void => {
    if (run <= wordLettersMax) inWords += run
    else tokens += run
    run = 0
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isLetter(code)) {
      run++
      continue
    }
    endRun()
    if (isSpace(code)) inWords++
    else tokens += bytesOf(code)
  }
  endRun()
  return tokens + Math.ceil(inWords / lettersPerToken)
}

function isLetter(code: number): boolean {
  const small = code | 0x20
  return small >= 0x61 && small <= 0x7a
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a
}

/** In UTF-8; each half of a pair is half of four. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1
  return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3
}

/** The first so many whose sum the money is enough for. */
export function howManyToTest(costs: readonly Picodollars[], money: Picodollars): number {
  let left = money
  const first = costs.findIndex((cost) => (left -= cost) < 0n)
  return first === -1 ? costs.length : first
}
