// The neutral request as an Anthropic-compatible server takes it. Always streamed.
import type { CallRequest, ToolChoice } from '../../core/request.ts'
import type { LeavableField } from '../../core/server-ways.ts'
import type { Json } from '../../lib/json-object.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import type { EngineCall } from '../engine.ts'
import { schemaToWrite } from '../schema-to-write.ts'
import { holdsProven, type ProvenThoughts } from './proven-thought.ts'
import { isLess, type ThinkingWay, type ThinkingWish, thinkingWish } from './thinking-wish.ts'
import { mark, silentTurn, type Turn, wireBlocks, wireTurns } from './wire-turns.ts'

/** What servers of this dialect do differently from one another. */
export type BodyProfile = {
  thinking: ThinkingWay
  /** What it refuses, and is not sent. */
  leavesOut: readonly LeavableField<'messages'>[]
}

/** The dialect has no field that asks for JSON without a schema. */
const jsonSentence = 'Answer with one JSON object and nothing else.'

const eager = 'eager_input_streaming'

export type Body = Json & { messages: Turn[] }

/** Without `proven` every thought is words. */
export function buildBody(
  call: EngineCall,
  { thinking: way, leavesOut }: BodyProfile,
  proven: ProvenThoughts | null,
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
  const { system, turns } = wirePrompt(request, asTold)
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
    ...wireOutput(call, way),
  }
  for (const name of leavesOut) delete body[name]
  return body
}

function wirePrompt(request: CallRequest, turns: Turn[]): { system: Json[]; turns: Turn[] } {
  const system = wireBlocks(request.system, null)
  // Behind everything that may be marked for the cache, so that a call without it shares as much as it can.
  const wish = request.output.kind === 'json' ? [{ type: 'text', text: jsonSentence }] : []
  if (turns.length > 0) return { system: [...system, ...wish], turns }
  // The dialect wants a turn to answer, and a system prompt alone is what somebody says.
  const turn: Turn = system.length > 0 ? { role: 'user', content: system } : silentTurn()
  return { system: wish, turns: [turn] }
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
function wireOutput({ effort, request }: EngineCall, way: ThinkingWay): Json {
  const { output } = request
  const config = {
    ...(effort === null || way !== 'adaptive' ? {} : { effort }),
    ...(output.kind === 'json-schema'
      ? { format: { type: 'json_schema', schema: schemaToWrite(output.schema, output.written) } }
      : {}),
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}
