// How long is what a test asks about a sample, so that its cost can be told for any models and judge. Pure.
import { promptTokensBy } from '../../../inference/prompt-tokens-max.ts'
import { answerText } from './answer-text.ts'
import { likelyTokens } from './likely-tokens.ts'
import { questionText } from './question-text.ts'
import {
  type AnswerQuestion,
  answerTokensMin,
  answerTokensMost,
  questionOf,
  questionTokensMax,
} from './test-request.ts'

/** In tokens of which models of today make no more. */
export type TestSizes = {
  /** What both models are asked. */
  asked: number
  /** The question as a judge reads it whole. */
  shown: number
  shownBytes: number
  rightAnswer: number
  /** The longest answer that either model may give. */
  answerMost: number
}

/** With what the pipeline's own model counts: the prompt, and the right answer. */
export type SampleSizes = TestSizes & { promptTokens: number; answerTokens: number }

/** No sample is cheaper to test. */
export const leastSizes: TestSizes = {
  asked: 0,
  shown: 0,
  shownBytes: 0,
  rightAnswer: 0,
  answerMost: answerTokensMin,
}

export function testSizes({
  conversation,
  rightAnswer,
}: Pick<AnswerQuestion, 'conversation' | 'rightAnswer'>): TestSizes {
  const asked = promptTokensBy(likelyTokens, { ...questionOf(conversation), model: '' })
  const shown = questionText(conversation, { context_window: Number.POSITIVE_INFINITY })
  return {
    asked: Math.min(asked, questionTokensMax),
    shown: likelyTokens(shown),
    shownBytes: Buffer.byteLength(shown),
    rightAnswer: likelyTokens(answerText(rightAnswer)),
    answerMost: answerTokensMost(rightAnswer),
  }
}

/** With the row that the pipeline's model would be trained on. */
export function sampleSizes(
  asked: Pick<AnswerQuestion, 'conversation' | 'rightAnswer'>,
  row: { inputIds: readonly number[]; labels: readonly number[] },
): SampleSizes {
  const promptTokens = row.labels.findIndex((label) => label >= 0)
  return { ...testSizes(asked), promptTokens, answerTokens: row.inputIds.length - promptTokens }
}

/** Of at least one sample; costs are proportional to sizes, so that the mean stands for all of them. */
export function meanSizes(all: readonly SampleSizes[]): SampleSizes {
  const mean = (size: keyof SampleSizes): number =>
    Math.ceil(all.reduce((sum, sizes) => sum + sizes[size], 0) / all.length)
  return {
    asked: mean('asked'),
    shown: mean('shown'),
    shownBytes: mean('shownBytes'),
    rightAnswer: mean('rightAnswer'),
    answerMost: mean('answerMost'),
    promptTokens: mean('promptTokens'),
    answerTokens: mean('answerTokens'),
  }
}
