// Why a model server refused a request, as far as its answer tells. What it wrote may name addresses and keys, so that it
// only decides which of our own sentences is said, and is kept for the operator where none of them tells the reason.
import { isObject } from '../../lib/json-object.ts'
import { EngineError } from '../engine.ts'
import { failedInAnswer, failureOfStatus } from './failures.ts'
import { type RefusedField, refusedField } from './refused-field.ts'
import { isRouteTrouble } from './route-troubles.ts'
import { tooLongWords } from './too-long-words.ts'

/** The last is Portkey's, where its guardrails deny a request. */
const statuses = [400, 413, 422, 446]
/** Some servers refuse what is said in a request with the status of a key that may not do something. */
const forbidden = 403

/** Whether only the answer tells why. */
export function isRefusal(status: number): boolean {
  return statuses.includes(status) || status === forbidden
}

type Known = { tells: RegExp[]; message: string; param?: string; answerSchema?: boolean }

const tooLong: Known = {
  tells: [tooLongWords],
  message:
    "The prompt is too long: it exceeds the context window (the model's maximum context limit), or max_tokens beside it does; shorten the conversation or lower max_tokens.",
  param: 'messages',
}

const unwanted: Known = {
  tells: [
    /content[_ ](filter|policy|management policy)|content exists risk|data_inspection_failed|flagged|hooks_failed|guardrail/,
  ],
  message: 'The model server refused this request because of what it says; rephrase it.',
  param: 'messages',
}

const schemaMessage = 'The model server cannot follow the JSON schema of this request; simplify it.'

/**
 * The first that fits counts. Coding agents know some refusals by their words, as `could not process image`: they take out what
 * was refused and go on, where they would else send it again for ever.
 */
const known: Known[] = [
  tooLong,
  unwanted,
  {
    // Claude says of such a schema that those of tools are to be simpler, and may name anything within it. It makes a grammar of no
    // tool that Hone tells it of.
    tells: [/output_config\.format|output_format|compiled grammar/],
    message: schemaMessage,
    answerSchema: true,
  },
  {
    tells: [
      /image/,
      /could not|cannot|failed|invalid|too (large|many)|unsupported|not support|exceed|appears to be|at most/,
    ],
    message:
      'The model server could not process image data in this request; check its format and size.',
    param: 'messages',
  },
  {
    tells: [
      /tool_use|tool_result|tool_call/,
      /without|prece+d|followed by|immediately after|corresponding/,
    ],
    message:
      'A tool call in this conversation is not followed by its result, or a result does not follow its call; send each result right after its call.',
    param: 'messages',
  },
  {
    tells: [/stop[_ ]sequence/, /white ?space/],
    message:
      'The model server does not accept stop sequences that are only white space; leave them out.',
  },
  {
    tells: [/schema/, /input_schema|\btools?\b|\bfunctions?\b/],
    message:
      'The model server cannot follow the JSON schema of a tool in this request; simplify it.',
    param: 'tools',
  },
  {
    // The level of thinking has its place beside the schema.
    tells: [/schema|grammar|response_format|output_config(?!\.effort)/],
    message: schemaMessage,
    answerSchema: true,
  },
]

export function failureOfRefusal(status: number, body: string): EngineError {
  const answer = parsed(body)
  const said = textsIn(answer)
  const reasons = said.map((text) => text.toLowerCase())
  if (reasons.some(isRouteTrouble)) return failureOfStatus(status)
  if (reasons.some((reason) => failedAnswers.includes(reason))) {
    return failedInAnswer({ answerOnly: true })
  }
  // No model server answers with a page: something on the way to it does, and that knows nothing of a request but its size.
  if (isPage(body) && status !== 413) return failureOfStatus(status)
  const words = reasons.join('\n').replaceAll(anyRefusal, '')
  const found = known.find(({ tells }) => tells.every((tell) => tell.test(words)))
  if (status === forbidden && found !== unwanted) return failureOfStatus(status)
  if (found === tooLong) {
    const { message, param = '' } = tooLong
    return new EngineError('refused', message, { param, tooLong: { numbers: numbersIn(words) } })
  }
  if (found) return refused(found.message, found)
  if (status === 413)
    return refused('The model server does not accept a request of this size; shorten it.')
  return refusedFor(refusedField(paramIn(answer), reasons), [...new Set(said)].join('\n'))
}

function refusedFor(field: RefusedField | null, serverWords: string): EngineError {
  if (!field) {
    const message = 'The model server refused the request; change it before you send it again.'
    return refused(message, { serverWords })
  }
  const { meaning, param } = field
  const next = param === 'messages' ? 'change them' : 'change that or leave it out'
  return refused(
    `The model server does not accept this request because of its ${meaning}; ${next}.`,
    { ...field, serverWords },
  )
}

/** Groq's words for an answer that its model began, and that was no call of a tool or no JSON in the end. */
const failedAnswers = ['tool_use_failed', 'json_validate_failed']

function isPage(body: string): boolean {
  return /^\s*<(!doctype|html)/i.test(body)
}

function refused(
  message: string,
  {
    param,
    answerSchema = false,
    serverWords = '',
  }: Pick<Known, 'param' | 'answerSchema'> & { serverWords?: string } = {},
): EngineError {
  return new EngineError('refused', message, {
    ...(param === undefined ? {} : { param }),
    answerSchema,
    ...(serverWords === '' ? {} : { serverWords }),
  })
}

const numbersMax = 16

function numbersIn(words: string): number[] {
  return Array.from(words.matchAll(/\d{1,9}/g), ([digits]) => Number(digits)).slice(0, numbersMax)
}

/** What servers call their reasons; a request that they quote beside them says nothing. */
const telling = ['code', 'type', 'message', 'msg', 'detail', 'details', 'error', 'errors']
const depthMax = 4
/** A reason stands at the start of its text; some servers quote the request behind it. */
const reasonCharactersMax = 1000
/** The kind of every refusal, and so of none. */
const anyRefusal = /invalid_request_error|invalid_request|bad_?request_?error/g

function textsIn(answer: unknown): string[] {
  const texts: string[] = []
  collect(answer, texts, depthMax)
  return texts
}

function paramIn(answer: unknown): unknown {
  if (!isObject(answer)) return undefined
  return isObject(answer.error) ? answer.error.param : answer.param
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

function collect(value: unknown, into: string[], depth: number): void {
  if (typeof value === 'string') into.push(value.slice(0, reasonCharactersMax))
  else if (depth === 0) return
  else if (Array.isArray(value)) for (const one of value) collect(one, into, depth - 1)
  else if (isObject(value)) for (const name of telling) collect(value[name], into, depth - 1)
}
