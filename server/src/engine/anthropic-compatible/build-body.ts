// The neutral request as an Anthropic-compatible server takes it. Always streamed.
import type { CallRequest, OutputFormat, SchemaOutput, ToolChoice } from '../../core/request.ts'
import type { LeavableField } from '../../core/server-ways.ts'
import type { Json } from '../../lib/json-object.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import type { EngineCall } from '../engine.ts'
import { schemaToWrite } from '../schema-to-write.ts'
import { closedSchema } from './closed-schema.ts'
import { holdsProven, type ProvenThoughts } from './proven-thought.ts'
import { isLess, type ThinkingWay, type ThinkingWish, thinkingWish } from './thinking-wish.ts'
import { mark, silentTurn, type Turn, wireBlocks, wireTurns } from './wire-turns.ts'

/** What servers of this dialect do differently from one another. */
export type BodyProfile = {
  thinking: ThinkingWay
  /** What it refuses, and is not sent. */
  leavesOut: readonly LeavableField<'messages'>[]
}

/** What may be said in two ways, where a server does not take the one. */
export type Manner = {
  /** Without them every thought is words. */
  proven: ProvenThoughts | null
  /** The schema of the answer is words, too. */
  tellsSchema?: boolean
}

const eager = 'eager_input_streaming'

export type Body = Json & { messages: Turn[] }

export function buildBody(
  call: EngineCall,
  { thinking: way, leavesOut }: BodyProfile,
  { proven, tellsSchema = false }: Manner,
): Body {
  const { request } = call
  const asSigned = wireTurns(request.messages, proven)
  const wish = thinkingWish(call, way, asSigned)
  const isUntold = wish.kind === 'adaptive' && leavesOut.includes('output_config')
  const isLevelLost = isUntold && request.reasoning.kind === 'effort'
  if (isLevelLost || isLess(call, wish, way)) call.adjusted?.push('reasoning_effort')
  // A server that does not think takes no thoughts that it signed, but it may read them.
  const isTaken = (wish.kind !== 'off' && call.canThink) || !holdsProven(asSigned)
  const asTold = isTaken ? asSigned : wireTurns(request.messages, null)
  const { system, turns } = wirePrompt(request, asTold, tellsSchema)
  const body: Body = {
    model: call.engineModel,
    max_tokens: call.maxTokens,
    stream: true,
    messages: turns,
    ...(system.length > 0 ? { system } : {}),
    ...(request.tools.length > 0
      ? {
          tools: request.tools.map((tool) => ({
            name: tool.name,
            description: tool.description,
            // The other dialect takes a schema that does not say that it is an object; this one does not.
            input_schema: { type: 'object', ...schemaToWrite(tool.parameters, tool.written) },
            ...(tool.eager && !leavesOut.includes(eager) ? { [eager]: true } : {}),
            ...mark(tool.cache),
          })),
          tool_choice: wireChoice(request.toolChoice, request.parallelToolCalls),
        }
      : {}),
    ...(request.stop.length > 0 ? { stop_sequences: request.stop } : {}),
    ...wireSampling(request, wish, leavesOut),
    ...wireThinking(wish),
    ...wireOutput(call, way, tellsSchema),
  }
  for (const name of leavesOut) delete body[name]
  return body
}

function wirePrompt(
  request: CallRequest,
  turns: Turn[],
  tellsSchema: boolean,
): { system: Json[]; turns: Turn[] } {
  const system = wireBlocks(request.system, null)
  // Behind everything that may be marked for the cache, so that a call without it shares as much as it can.
  const wish = wishFor(request.output, tellsSchema).map((text) => ({ type: 'text', text }))
  if (turns.length > 0) return { system: [...system, ...wish], turns }
  // The dialect wants a turn to answer, and a system prompt alone is what somebody says.
  const turn: Turn = system.length > 0 ? { role: 'user', content: system } : silentTurn()
  return { system: wish, turns: [turn] }
}

/** The dialect has no field that asks for JSON without a schema. */
function wishFor(output: OutputFormat, tellsSchema: boolean): string[] {
  if (output.kind === 'json') return ['Answer with one JSON object and nothing else.']
  if (output.kind !== 'json-schema' || !tellsSchema) return []
  // As the caller wrote it: what a server may refuse in a schema, its model may well follow.
  const schema = output.written ?? JSON.stringify(output.schema)
  return [`Answer with JSON that fits this JSON schema, and nothing else: ${schema}`]
}

function wireChoice(choice: ToolChoice, parallel: boolean): Json {
  const types = { auto: 'auto', none: 'none', required: 'any', named: 'tool' } as const
  return {
    type: types[choice.kind],
    ...(choice.kind === 'named' ? { name: choice.name } : {}),
    ...(parallel || choice.kind === 'none' ? {} : { disable_parallel_tool_use: true }),
  }
}

/** The least share of the tokens that a thinking model may be told to pick from. */
const thinkingTopPMin = 0.95

/**
 * The scale of temperatures ends at 1 here, and no limit on the tokens to pick from is not said by a number. How a model
 * that thinks picks its tokens is its own affair, but for a little. Of a temperature and a share of the tokens to pick from
 * servers take one: the temperature, unless it changes nothing.
 */
function wireSampling(
  { sampling }: CallRequest,
  wish: ThinkingWish,
  leavesOut: readonly LeavableField<'messages'>[],
): Json {
  const { temperature = 1, topP, topK } = sampling
  if (wish.kind === 'adaptive' || wish.kind === 'budget') {
    return topP !== undefined && topP >= thinkingTopPMin ? { top_p: topP } : {}
  }
  const byShare = topP !== undefined && (temperature >= 1 || leavesOut.includes('temperature'))
  const isSaid = sampling.temperature !== undefined && !byShare
  return withoutUndefined({
    temperature: isSaid ? Math.min(temperature, 1) : undefined,
    top_p: byShare ? topP : undefined,
    top_k: topK === -1 ? undefined : topK,
  })
}

function wireThinking(wish: ThinkingWish): Json {
  switch (wish.kind) {
    case 'adaptive':
      return { thinking: { type: 'adaptive', display: 'summarized' } }
    case 'budget':
      return { thinking: { type: 'enabled', budget_tokens: wish.tokens } }
    case 'off':
      return { thinking: { type: 'disabled' } }
    case 'unsaid':
      return {}
  }
}

/** The level and the form of an answer share a field. */
function wireOutput({ effort, request }: EngineCall, way: ThinkingWay, tellsSchema: boolean): Json {
  const { output } = request
  const config = {
    ...(effort === null || way !== 'adaptive' ? {} : { effort }),
    ...(output.kind === 'json-schema' && !tellsSchema ? { format: wireSchema(output) } : {}),
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}

function wireSchema({ schema, written }: SchemaOutput): Json {
  return { type: 'json_schema', schema: closedSchema(schemaToWrite(schema, written)) }
}
