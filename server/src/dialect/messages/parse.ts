// From a messages-dialect body to the neutral request. Wire names stop here.
import {
  type CallRequest,
  type Effort,
  effortLevels,
  type OutputFormat,
  type Reasoning,
} from '../../core/request.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import { stopStringsMax } from '#contract/limits.ts'
import * as read from '../read-fields.ts'
import { readCacheControl } from '../read-cache-control.ts'
import { readManaged } from '../read-managed.ts'
import { checkTools, isMarked } from '../read-tools.ts'
import { withoutBillingLines } from './billing-line.ts'
import { checkFieldsWithoutEffect, foreignToMessages } from './fields.ts'
import { parseMessages, parseSystem } from './parse-messages.ts'
import { parseToolChoice, parseTools } from './parse-tools.ts'

/** Whether the thinking is shown; omitted by default (spec 1, reasoning rule 11). */
export type ThinkingDisplay = 'omitted' | 'summarized'

export type MessagesCall = { request: CallRequest; stream: boolean; display: ThinkingDisplay }

/** `count` reads a body for the token count, where `max_tokens` may be absent. */
export function parseMessagesBody(body: Json, use: 'answer' | 'count' = 'answer'): MessagesCall {
  read.refuseForeign(body, foreignToMessages, 'chat-completions')
  read.requireAll(body, ['model', 'messages', ...(use === 'answer' ? ['max_tokens'] : [])])
  const model = read.requiredString(body, 'model')
  const { leading, messages } = parseMessages(body)
  // What a model cannot give is reduced, and never refused (spec 1, reasoning rule 8).
  const maxTokens = read.optionalNumber(body, 'max_tokens', { min: 1, max: Infinity, whole: true })
  checkFieldsWithoutEffect(body)
  const asked = [...parseSystem(body), ...leading]
  const tools = parseTools(body)
  const { choice, parallel } = parseToolChoice(body)
  checkTools(tools, choice)
  const { reasoning, display } = parseThinking(body)
  const automatic = readCacheControl(body, 'cache_control')
  return {
    stream: read.optionalBoolean(body, 'stream') ?? false,
    display,
    request: {
      model,
      tools,
      system: withoutBillingLines(asked),
      messages,
      toolChoice: choice,
      parallelToolCalls: parallel,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      stop: read.optionalStrings(body, 'stop_sequences', stopStringsMax),
      sampling: withoutUndefined({
        temperature: read.optionalNumber(body, 'temperature', { min: 0, max: 2 }),
        topP: read.optionalNumber(body, 'top_p', { min: 0, max: 1, unset: -1 }),
        topK: read.optionalNumber(body, 'top_k', {
          min: 0,
          max: 1_000_000,
          whole: true,
          unset: -1,
        }),
      }),
      reasoning,
      output: parseOutput(body),
      cache: {
        automatic,
        managed: readManaged(body),
        explicitOnly: false,
        marked: automatic !== null || isMarked({ tools, system: asked, messages }),
      },
      conversation: read.optionalName(body, 'session_id') ?? null,
    },
  }
}

/** What of a body says which JSON a model may write. */
export function parseSchemas(body: Json): Pick<CallRequest, 'tools' | 'output'> {
  return { tools: parseTools(body), output: parseOutput(body) }
}

function parseThinking(body: Json): { reasoning: Reasoning; display: ThinkingDisplay } {
  const thinking = read.optionalObject(body, 'thinking')
  const config = read.optionalObject(body, 'output_config')
  const effort = config && parseEffort(config)
  if (!thinking) {
    const reasoning: Reasoning = effort ? { kind: 'effort', effort } : { kind: 'default' }
    return { reasoning, display: 'omitted' }
  }
  const display = parseDisplay(thinking)
  const budgetTokens = parseBudget(thinking)
  switch (thinking.type) {
    case 'disabled':
    case 'between_tools':
      return { reasoning: { kind: 'off' }, display }
    case 'enabled':
    case 'adaptive': {
      const budget: { budgetTokens?: number } = budgetTokens === undefined ? {} : { budgetTokens }
      return {
        reasoning: effort ? { kind: 'effort', effort, ...budget } : { kind: 'on', ...budget },
        display,
      }
    }
    default:
      throw read.bad('thinking', 'thinking.type must be disabled, adaptive or enabled.')
  }
}

function parseDisplay(thinking: Json): ThinkingDisplay {
  const display = read.field(thinking, 'display')
  if (display === undefined || display === 'omitted') return 'omitted'
  // News of a thought while it lasts, of which a summary is all there is here.
  if (display === 'summarized' || display === 'updates') return 'summarized'
  throw read.bad('thinking', 'thinking.display must be summarized or omitted.')
}

function parseBudget(thinking: Json): number | undefined {
  const budget = read.field(thinking, 'budget_tokens')
  if (budget === undefined) return undefined
  if (typeof budget === 'number' && Number.isInteger(budget) && budget >= 0) return budget
  throw read.bad('thinking', 'thinking.budget_tokens must be a whole number, 0 or more.')
}

function parseEffort(config: Json): Effort | undefined {
  const effort = read.field(config, 'effort')
  if (effort === undefined) return undefined
  if (effortLevels.includes(effort as Effort)) return effort as Effort
  throw read.bad(
    'output_config',
    `output_config.effort must be one of ${effortLevels.join(', ')}; without thinking, use {"thinking": {"type": "disabled"}}.`,
  )
}

function parseOutput(body: Json): OutputFormat {
  const config = read.optionalObject(body, 'output_config')
  const format = config && read.field(config, 'format')
  // Older clients say it beside, and have nothing else for it; any other value there means nothing.
  if (format === undefined) return schemaOf(read.field(body, 'output_format')) ?? { kind: 'text' }
  const output = schemaOf(format)
  if (output) return output
  throw read.bad('output_config', 'output_config.format must be {"type": "json_schema", "schema"}.')
}

function schemaOf(format: unknown): OutputFormat | null {
  if (!isObject(format) || format.type !== 'json_schema') return null
  // This dialect has no looser kind.
  return isObject(format.schema)
    ? { kind: 'json-schema', schema: format.schema, strict: true }
    : null
}
