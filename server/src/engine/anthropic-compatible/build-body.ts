// The neutral request as an Anthropic-compatible server takes it. Always streamed.
import type { CallRequest, ToolChoice } from '../../core/request.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import type { EngineCall } from '../engine.ts'
import { type Json, mark, silentTurn, type Turn, wireBlocks, wireTurns } from './wire-turns.ts'

/** The dialect has no field that asks for JSON without a schema. */
const jsonSentence = 'Answer with one JSON object and nothing else.'

export function buildBody(call: EngineCall): Json {
  const { request } = call
  const { system, turns } = wirePrompt(request)
  return {
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
            input_schema: { type: 'object', ...tool.parameters },
            ...mark(tool.cache),
          })),
          tool_choice: wireChoice(request.toolChoice, request.parallelToolCalls),
        }
      : {}),
    ...(request.stop.length > 0 ? { stop_sequences: request.stop } : {}),
    ...wireSampling(call),
    ...wireThinking(call),
  }
}

function wirePrompt(request: CallRequest): { system: Json[]; turns: Turn[] } {
  const system = wireBlocks(request.system)
  const turns = wireTurns(request.messages)
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
 * that thinks picks its tokens is its own affair, but for a little.
 */
function wireSampling(call: EngineCall): Json {
  const { temperature, topP, topK } = call.request.sampling
  if (thinks(call)) {
    return topP !== undefined && topP >= thinkingTopPMin ? { top_p: topP } : {}
  }
  return withoutUndefined({
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: topP,
    top_k: topK === -1 ? undefined : topK,
  })
}

/** A model that has to call a tool cannot think before it. */
function thinks({ effort, request }: EngineCall): boolean {
  const { kind } = request.toolChoice
  return effort !== null && kind !== 'required' && kind !== 'named'
}

function wireThinking(call: EngineCall): Json {
  const { output } = call.request
  const config = {
    ...(call.effort === null ? {} : { effort: call.effort }),
    ...(output.kind === 'json-schema'
      ? { format: { type: 'json_schema', schema: output.schema } }
      : {}),
  }
  return {
    ...thinkingOf(call),
    ...(Object.keys(config).length > 0 ? { output_config: config } : {}),
  }
}

/** Left out, a model that can think would think at its own level. */
function thinkingOf(call: EngineCall): Json {
  if (thinks(call)) return { thinking: { type: 'adaptive', display: 'summarized' } }
  return call.canThink ? { thinking: { type: 'disabled' } } : {}
}
