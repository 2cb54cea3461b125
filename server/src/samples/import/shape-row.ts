// Reads one row of an import as a conversation with its feedback. Spec 2, import row shapes: what stands in the row
// decides its shape, and what fits none is refused with the reason.
import type { ImportShape } from '#contract/import.ts'
import { correctionCharactersMax } from '#contract/limits.ts'
import { saysSomething, type Verdict } from '#contract/sample.ts'
import type { Message, TextBlock } from '../../core/block.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Tool } from '../../core/request.ts'
import { parseMessages } from '../../dialect/chat/parse-messages.ts'
import { parseTools } from '../../dialect/chat/parse-tools.ts'
import { field, present } from '../../dialect/read-fields.ts'
import { checkTools } from '../../dialect/read-tools.ts'
import { grouped } from '../../lib/grouped.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import {
  type AnswerSplit,
  type Conversation,
  conversationOf,
  splitAnswer,
} from '../sample/conversation.ts'
import { inTodaysShape } from './older-shapes.ts'

export type ShapedRow = {
  shape: ImportShape
  conversation: Conversation
  verdict: Verdict | null
  correction: string | null
}

/** Throws a Refusal whose message is the reason. */
export function shapeRow(given: unknown): ShapedRow {
  if (!isObject(given)) throw refused('The row is not a JSON object.')
  if (Object.hasOwn(given, 'feedback') || Object.hasOwn(given, 'verdict')) {
    throw refused('A row cannot have the fields feedback and verdict; use label or correction.')
  }
  const row = inTodaysShape(given)
  const tools = readTools(row)
  const asked = readQuestion(row)
  const { messages, answer, answerName, after } = readAnswer(row, asked)
  const question = { tools, system: asked.system, messages }
  const conversation = conversationOf(question, answer, after, answerName)
  return { conversation, ...judge(row, answer !== null) }
}

function readTools(row: Json): Tool[] {
  try {
    const tools = parseTools(row)
    checkTools(tools, { kind: 'auto' })
    return tools
  } catch (error) {
    if (!(error instanceof Refusal) || !present(row, 'functions')) throw error
    const reason = error.message.replace(/\.function\b/, '')
    throw refused(reason.replaceAll(/\btools\b/g, 'functions'))
  }
}

type Turns = { system: TextBlock[]; messages: Message[] }

function readQuestion(row: Json): Turns {
  const inMessages = present(row, 'messages')
  if (inMessages && present(row, 'prompt')) {
    throw refused('The row has both messages and prompt; send one of them.')
  }
  if (!inMessages && !present(row, 'prompt')) {
    throw present(row, 'text')
      ? refused('A text alone is not a conversation; send messages, or prompt and completion.')
      : refused('The row has neither messages nor prompt.')
  }
  const turns = inMessages ? parseMessages(row, 'row') : readPrompt(field(row, 'prompt'))
  if (!turns.messages.some(({ role }) => role === 'user')) {
    throw refused(`${inMessages ? 'messages' : 'prompt'} has no user message.`)
  }
  return { ...turns, system: [...readSystem(row), ...turns.system] }
}

/** A system prompt that stands beside the conversation, which some write so, comes before any that stands in it. */
function readSystem(row: Json): TextBlock[] {
  const system = field(row, 'system')
  if (system === undefined || system === '') return []
  if (typeof system === 'string') return [{ type: 'text', text: system }]
  if (!Array.isArray(system)) throw refused('system must be a string or a list of text blocks.')
  return system.map((block: unknown, index) => {
    if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') {
      throw refused(`system[${index}] must be a text block.`)
    }
    return { type: 'text', text: block.text }
  })
}

function readPrompt(prompt: unknown): Turns {
  if (!Array.isArray(prompt)) {
    const text = readText(prompt, 'prompt', ' or a list of messages')
    return { system: [], messages: [{ role: 'user', blocks: [{ type: 'text', text }] }] }
  }
  const turns = readTurns(prompt, 'prompt')
  if (turns.messages.at(-1)?.role === 'assistant') {
    throw refused('prompt ends with an answer; put it into completion, or send messages.')
  }
  return turns
}

/** The same rules under another name, which is then the one that the reason says. */
function readTurns(list: unknown[], name: string): Turns {
  try {
    return parseMessages({ messages: list }, 'row')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refused(error.message.replaceAll(/\bmessages\b/g, name))
  }
}

const answerFields = ['completion', 'rejected'] as const

function readAnswer(row: Json, asked: Turns): AnswerSplit {
  const inMessages = splitAnswer(asked.messages)
  const endsAnswered = asked.messages.at(-1)?.role === 'assistant'
  if (endsAnswered && !inMessages.answer) {
    throw refused('messages has no user message before the answer.')
  }
  const [name, more] = answerFields.filter((one) => present(row, one))
  if (more !== undefined || (name !== undefined && endsAnswered)) {
    throw refused('The row has more than one answer.')
  }
  if (name === undefined) {
    return endsAnswered || !asksLast(row) ? inMessages : unanswered(asked)
  }
  const added = readReply(field(row, name), name, asked)
  const last = splitAnswer([...asked.messages, ...added])
  if (!last.answer || last.after.length > 0) {
    throw refused(`${name} must end with an assistant message.`)
  }
  return last
}

/** A prompt is a question, whatever was said before; so are messages that say what the next answer should be. */
function asksLast(row: Json): boolean {
  return present(row, 'prompt') || present(row, 'ground_truth')
}

function unanswered({ messages }: Turns): AnswerSplit {
  return { messages, answer: null, after: [] }
}

/** A text, which may be empty as a turn may; one message or several; data sets often repeat the prompt in front of them. */
function readReply(value: unknown, name: string, asked: Turns): Message[] {
  if (!Array.isArray(value) && !isObject(value)) {
    const text = readAnyText(value, name, ' or a list of assistant messages')
    return [{ role: 'assistant', blocks: [{ type: 'text', text }] }]
  }
  const { system, messages } = readTurns(Array.isArray(value) ? value : [value], name)
  const begins = JSON.stringify(messages.slice(0, asked.messages.length))
  const repeated = begins === JSON.stringify(asked.messages)
  const turns = repeated ? messages.slice(asked.messages.length) : messages
  const sameSystem = JSON.stringify(system) === JSON.stringify(asked.system)
  if ((system.length > 0 && !sameSystem) || turns[0]?.role !== 'assistant') {
    throw refused(`${name} must begin with an assistant message.`)
  }
  return turns
}

type Judgement = Pick<ShapedRow, 'shape' | 'verdict' | 'correction'>

function judge(row: Json, answered: boolean): Judgement {
  const right = readRightAnswer(row, answered)
  const label = field(row, 'label')
  if (label !== undefined && typeof label !== 'boolean') {
    throw refused('label must be true or false.')
  }
  if (label !== undefined && !answered) {
    throw refused('label says whether an answer is good, but the row has no answer.')
  }
  if (right) {
    if (label === true) {
      throw refused(
        'label is true, but the row also says what the answer should have been; send one of them.',
      )
    }
    return { shape: right.shape, verdict: 'edited', correction: right.text }
  }
  if (label !== undefined) {
    return { shape: 'label', verdict: label ? 'accepted' : 'rejected', correction: null }
  }
  const shape = !answered ? 'prompt' : present(row, 'messages') ? 'messages' : 'completion'
  return { shape, verdict: null, correction: null }
}

const truths = ['correction', 'ground_truth'] as const

function readRightAnswer(
  row: Json,
  answered: boolean,
): { shape: ImportShape; text: string } | null {
  const [chosen, rejected] = [present(row, 'chosen'), present(row, 'rejected')]
  const [truth, more] = truths.filter((name) => present(row, name))
  if (more) throw refused('The row has both correction and ground_truth; send one of them.')
  if (chosen !== rejected) {
    throw refused('chosen and rejected must be sent together; one of them is missing.')
  }
  if (chosen) {
    if (truth) throw refused(`The row has both chosen and ${truth}; send one of them.`)
    return { shape: 'preference', text: readChosen(row) }
  }
  if (!truth) return null
  const text = readCorrection(field(row, truth), truth)
  if (answered) return { shape: 'correction', text }
  if (truth === 'ground_truth') return { shape: 'ground_truth', text }
  throw refused('correction corrects an answer, but the row has none; use ground_truth.')
}

/** What is learned from is kept as a text, so a choice that calls tools has no place. */
function readChosen(row: Json): string {
  const value = field(row, 'chosen')
  if (!Array.isArray(value) && !isObject(value)) return readCorrection(value, 'chosen')
  const turns = readReply(value, 'chosen', readQuestion(row))
  const blocks = turns.flatMap((turn) => turn.blocks)
  const spoken = turns.every(({ role }) => role === 'assistant')
  if (!spoken || blocks.some(({ type }) => type !== 'text' && type !== 'thinking')) {
    throw refused('chosen must be a string or an assistant message that calls no tools.')
  }
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return readCorrection(text, 'chosen')
}

function readCorrection(value: unknown, name: string): string {
  const text = readText(value, name)
  if (hasMoreCharacters(text, correctionCharactersMax)) {
    throw refused(`${name} has more than ${grouped(correctionCharactersMax)} characters.`)
  }
  if (!text.isWellFormed() || text.includes('\0'))
    throw refused(`${name} must be valid Unicode without NUL characters.`)
  return text
}

/** Counted as the schema of feedback counts them: a pair of surrogates is one. */
function hasMoreCharacters(text: string, max: number): boolean {
  if (text.length <= max) return false
  let count = 0
  for (const _ of text) if (++count > max) return true
  return false
}

function readText(value: unknown, name: string, orElse = ''): string {
  const text = readAnyText(value, name, orElse)
  if (!saysSomething(text)) throw refused(`${name} is empty.`)
  return text
}

function readAnyText(value: unknown, name: string, orElse: string): string {
  if (typeof value !== 'string') throw refused(`${name} must be a string${orElse}.`)
  return value
}

function refused(reason: string): Refusal {
  return new Refusal('BAD_REQUEST', reason)
}
