// Why a model server refused a request, as far as its answer tells. What it wrote may name addresses and keys, so that it
// only decides which of our own sentences is said.
import { EngineError } from '../engine.ts'
import { isObject } from './read-json.ts'

const statuses = [400, 413, 422]

export function isRefusal(status: number): boolean {
  return statuses.includes(status)
}

type Known = { tells: RegExp[]; message: string; param?: string }

/** The first that fits counts. */
const known: Known[] = [
  {
    tells: [
      /context[_ ](length|size|window|limit)|(prompt|input) is too long|maximum (model length|number of tokens)/,
    ],
    message:
      'The prompt and max_tokens do not fit into the context window of this model; shorten the conversation or lower max_tokens.',
    param: 'messages',
  },
  {
    tells: [
      /image/,
      /could not|cannot|failed|invalid|too (large|many)|unsupported|not support|exceed|appears to be|at most/,
    ],
    message: 'The model server could not use an image of this request.',
    param: 'messages',
  },
  {
    tells: [
      /tool_use|tool_result|tool_call/,
      /without|prece+d|followed by|immediately after|corresponding/,
    ],
    message:
      'A tool call of this conversation is not followed by its result, or a result does not follow its call.',
    param: 'messages',
  },
  {
    tells: [/stop[_ ]sequence/, /white ?space/],
    message: 'The model server stops only at texts that are more than white space.',
  },
  {
    tells: [/schema/, /input_schema|\btools?\b|\bfunctions?\b/],
    message: 'The model server cannot keep to the schema of a tool of this request.',
    param: 'tools',
  },
  {
    tells: [/schema|grammar|response_format|output_config/],
    message: 'The model server cannot keep to the schema of this request.',
  },
]

export function failureOfRefusal(status: number, body: string): EngineError {
  const words = wordsOf(body)
  const found = known.find(({ tells }) => tells.every((tell) => tell.test(words)))
  if (found) return refused(found.message, found.param)
  if (status === 413) return refused('The model server takes no request of this size.')
  return refused('The model server refused the request as it is.')
}

function refused(message: string, param?: string): EngineError {
  return new EngineError('refused', message, param === undefined ? {} : { param })
}

/** What servers call their reasons; a request that they quote beside them says nothing. */
const telling = ['code', 'type', 'message', 'msg', 'detail', 'details', 'error', 'errors']
const depthMax = 4
/** A reason stands at the start of its text; some servers quote the request behind it. */
const reasonCharactersMax = 1000
/** The kind of every refusal, and so of none. */
const anyRefusal = /invalid_request_error|invalid_request|bad_?request_?error/g

function wordsOf(body: string): string {
  const words: string[] = []
  collect(parsed(body), words, depthMax)
  return words.join('\n').toLowerCase().replaceAll(anyRefusal, '')
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
