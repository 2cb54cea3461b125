// From a chat-completions body to the neutral request. Wire names stop here.
import { type CallRequest, effortLevels, type Effort, type Reasoning } from '../../core/request.ts'
import type { Json } from '../../lib/json-object.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import { stopStringsMax } from '#contract/limits.ts'
import * as read from '../read-fields.ts'
import { readCacheControl } from '../read-cache-control.ts'
import { readManaged } from '../read-managed.ts'
import { checkTools, isMarked } from '../read-tools.ts'
import { checkFieldsWithoutEffect, foreignToChat } from './fields.ts'
import { parseMessages } from './parse-messages.ts'
import { parseSteering } from './parse-steering.ts'
import { parseOutput, parseToolChoice, parseTools } from './parse-tools.ts'

export type ChatCall = { request: CallRequest; stream: boolean }

export function parseChat(body: Json): ChatCall {
  read.refuseForeign(body, foreignToChat, 'messages')
  read.requireAll(body, ['model', 'messages'])
  const model = read.requiredString(body, 'model')
  const { system, messages } = parseMessages(body, 'call')
  checkFieldsWithoutEffect(body)
  const allTools = parseTools(body)
  const { choice, tools } = parseToolChoice(body, allTools)
  checkTools(tools, choice)
  // What a model cannot give is reduced, and never refused (spec 1, reasoning rule 8).
  const tokens = { min: 1, max: Infinity, whole: true }
  const oldMaxTokens = read.optionalNumber(body, 'max_tokens', tokens)
  const maxTokens = read.optionalNumber(body, 'max_completion_tokens', tokens) ?? oldMaxTokens
  const steering = parseSteering(body)
  const automatic = readCacheControl(body, 'cache_control')
  return {
    stream: read.optionalBoolean(body, 'stream') ?? false,
    request: {
      model,
      tools,
      system,
      messages,
      toolChoice: choice,
      parallelToolCalls: read.optionalBoolean(body, 'parallel_tool_calls') ?? true,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      stop: read.optionalStringOrStrings(body, 'stop', stopStringsMax),
      sampling: parseSampling(body),
      ...(steering === undefined ? {} : { steering }),
      reasoning: parseEffort(body),
      output: parseOutput(body),
      cache: {
        automatic,
        managed: readManaged(body),
        explicitOnly: parseCacheOptions(body),
        marked: automatic !== null || isMarked({ tools: allTools, system, messages }),
      },
      conversation:
        read.optionalName(body, 'session_id') ??
        read.optionalName(body, 'prompt_cache_key') ??
        null,
    },
  }
}

/** What of a body says which JSON a model may write. */
export function parseSchemas(body: Json): Pick<CallRequest, 'tools' | 'output'> {
  return { tools: parseToolChoice(body, parseTools(body)).tools, output: parseOutput(body) }
}

function parseSampling(body: Json): CallRequest['sampling'] {
  const penalty = { min: -2, max: 2 }
  return withoutUndefined({
    temperature: read.optionalNumber(body, 'temperature', { min: 0, max: 2 }),
    topP: read.optionalNumber(body, 'top_p', { min: 0, max: 1, unset: -1 }),
    topK: read.optionalNumber(body, 'top_k', { min: -1, max: 1_000_000, whole: true }),
    seed: parseSeed(body),
    frequencyPenalty: read.optionalNumber(body, 'frequency_penalty', penalty),
    presencePenalty: read.optionalNumber(body, 'presence_penalty', penalty),
  })
}

/** Clients draw seeds of 64 bits, which are more than a number holds exactly; the same one always becomes the same one here. */
function parseSeed(body: Json): number | undefined {
  const seed = read.optionalNumber(body, 'seed', { min: -(2 ** 63), max: 2 ** 63, whole: true })
  return seed === undefined || Number.isSafeInteger(seed) ? seed : seed % Number.MAX_SAFE_INTEGER
}

/** Spec 1, reasoning rules 3 and 5: off and the empty text mean none; null is no word at all. */
function parseEffort(body: Json): Reasoning {
  const value = read.field(body, 'reasoning_effort')
  if (value === undefined) return { kind: 'default' }
  if (value === 'none' || value === 'off' || value === '') return { kind: 'off' }
  if (effortLevels.includes(value as Effort)) return { kind: 'effort', effort: value as Effort }
  throw read.bad(
    'reasoning_effort',
    `reasoning_effort must be one of ${effortLevels.join(', ')} or none.`,
  )
}

function parseCacheOptions(body: Json): boolean {
  const value = read.optionalObject(body, 'prompt_cache_options')
  const mode = value && read.field(value, 'mode')
  if (mode === undefined || mode === 'implicit') return false
  if (mode === 'explicit') return true
  throw read.bad('prompt_cache_options', 'prompt_cache_options.mode must be explicit or implicit.')
}
