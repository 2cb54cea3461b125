// What a test asks: a sample's question of a model, and a question about answers of a judge.
import { adjustReasoning } from '../../../catalog/adjust-reasoning.ts'
import type { CatalogModel } from '../../../catalog/catalog-file.ts'
import type { Block } from '../../../core/block.ts'
import { type CallRequest, effortTokens, noCachePreference } from '../../../core/request.ts'
import { type JudgeQuestion, judgePrompt } from '../../../engine/judge-prompt.ts'
import type { Conversation } from '../../../samples/sample/conversation.ts'

/** Spec 2, held-back test, rule 7. */
export const questionTokensMax = 32_768
/** Of an answer, whatever the right one is. */
export const answerTokensMin = 256
/** Design: an answer may have four times the tokens of the right one. */
const timesTheRightAnswer = 4
/**
 * How many bytes are taken for one token of the right answer. Its tokens cannot be counted, since each model counts them in its own
 * way. This is what English text has; other text has fewer bytes a token, but never less than one. So four times the estimate is the
 * bytes of the right answer, and no tokenizer makes more tokens of it: a right answer is never cut.
 */
const bytesPerToken = 4
/** What a model writes around the name and arguments of a call. */
const marksPerCall = 64

/** For one object with one sentence, and some words around it. */
export const verdictTokensMax = 200

/** Temperature 0, no thoughts, and nothing of a caller's wishes. */
const plain: Omit<CallRequest, 'model' | 'tools' | 'system' | 'messages' | 'maxTokens'> = {
  toolChoice: { kind: 'auto' },
  parallelToolCalls: true,
  stop: [],
  sampling: { temperature: 0 },
  // A model that cannot do without thinks at its lowest level.
  reasoning: { kind: 'off' },
  output: { kind: 'text' },
  cache: { ...noCachePreference, managed: false },
  conversation: null,
}

export type AnswerQuestion = {
  /** The name under which it is called. */
  model: string
  /** What it can do. */
  row: CatalogModel
  conversation: Pick<Conversation, 'tools' | 'system' | 'messages'>
  rightAnswer: readonly Block[]
}

export function answerRequest(asked: AnswerQuestion): CallRequest {
  const { model, row, conversation, rightAnswer } = asked
  return {
    ...questionOf(conversation),
    model,
    maxTokens: ceiling(row, answerTokensMost(rightAnswer)),
  }
}

/** The same of all models. */
export function questionOf(
  conversation: AnswerQuestion['conversation'],
): Omit<CallRequest, 'model'> {
  const { tools, system, messages } = conversation
  return { ...plain, tools: tools.map((tool) => ({ ...tool, eager: false })), system, messages }
}

/** Before the ceiling of the model that answers. */
export function answerTokensMost(rightAnswer: readonly Block[]): number {
  const tokens = timesTheRightAnswer * Math.ceil(bytesIn(rightAnswer) / bytesPerToken)
  return Math.max(answerTokensMin, tokens)
}

export type ReadingQuestion = {
  judgeModel: string
  row: CatalogModel
  question: JudgeQuestion
  /** What was wrong with the first reply, in a sentence, where this is the second try. */
  unreadable?: string
}

/**
 * JSON is asked for in words alone: not every server knows a field for it, and some refuse the call over it. The second try is a
 * prompt of its own, so that it is as long as the first whatever the first reply was.
 */
export function readingRequest(asked: ReadingQuestion): CallRequest {
  const { judgeModel, row, question, unreadable } = asked
  const { system, user } = judgePrompt(question)
  const text = unreadable === undefined ? user : `${user}\n\n${secondTry(unreadable)}`
  return {
    ...plain,
    model: judgeModel,
    tools: [],
    system: [{ type: 'text', text: system }],
    messages: [{ role: 'user', blocks: [{ type: 'text', text }] }],
    maxTokens: ceiling(row, verdictTokensMax),
  }
}

function secondTry(unreadable: string): string {
  return `An earlier reply to this request could not be read. ${unreadable} Reply with the JSON object alone, without any other text.`
}

/** The ceiling of a model that must think is that of its thoughts too. */
export function ceiling(row: CatalogModel, tokens: number): number {
  const { effort } = adjustReasoning(plain.reasoning, row.reasoning)
  const thoughts = effort === null ? 0 : effortTokens[effort]
  return Math.min(tokens + thoughts, row.max_output_tokens)
}

function bytesIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => {
    if (block.type === 'text') return sum + Buffer.byteLength(block.text)
    if (block.type !== 'tool-call') return sum
    return sum + Buffer.byteLength(block.name) + Buffer.byteLength(block.arguments) + marksPerCall
  }, 0)
}
