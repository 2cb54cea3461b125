// The neutral request as an Anthropic-compatible server takes it. Always streamed.
import type { Block, CacheMark, ImageBlock, Message } from '../../core/block.ts'
import type { CallRequest, ToolChoice } from '../../core/request.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import type { EngineCall } from '../engine.ts'

type Json = Record<string, unknown>

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
            input_schema: tool.parameters,
            ...mark(tool.cache),
          })),
          tool_choice: wireChoice(request.toolChoice, request.parallelToolCalls),
        }
      : {}),
    ...(request.stop.length > 0 ? { stop_sequences: request.stop } : {}),
    ...wireSampling(request),
    ...wireThinking(call),
  }
}

type Turn = { role: 'user' | 'assistant'; content: Json[] }

function wirePrompt(request: CallRequest): { system: Json[]; turns: Turn[] } {
  const system = wireBlocks(request.system)
  const turns = mergeTurns(request.messages)
  // Behind everything that may be marked for the cache, so that a call without it shares as much as it can.
  const wish = request.output.kind === 'json' ? [{ type: 'text', text: jsonSentence }] : []
  if (turns.length > 0) return { system: [...system, ...wish], turns }
  // The dialect wants a turn to answer; where nobody said anything, the server has to say what it makes of that.
  const content = system.length > 0 ? system : [{ type: 'text', text: '' }]
  return { system: wish, turns: [{ role: 'user', content }] }
}

/** The dialect wants turns to alternate; a tool's answer and the words after it are one user turn. */
function mergeTurns(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const role = message.role === 'system' ? 'user' : message.role
    const content = wireBlocks(message.blocks)
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else if (content.length > 0) turns.push({ role, content })
  }
  return turns
}

/** Without what holds no text, which the dialect refuses. */
function wireBlocks(blocks: readonly Block[]): Json[] {
  return blocks.filter((block) => !('text' in block) || block.text !== '').map(wireBlock)
}

function wireBlock(block: Block): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, ...mark(block.cache) }
    case 'image':
      return { type: 'image', source: wireSource(block), ...mark(block.cache) }
    case 'thinking':
      // The upstream cannot verify our signature, so the thought goes as what the assistant said to itself.
      return { type: 'text', text: `<thinking>${block.text}</thinking>` }
    case 'tool-call':
      return {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        input: parseArguments(block.arguments),
        ...mark(block.cache),
      }
    case 'tool-result':
      return {
        type: 'tool_result',
        tool_use_id: block.toolCallId,
        content: wireBlocks(block.content),
        ...(block.isError ? { is_error: true } : {}),
        ...mark(block.cache),
      }
  }
}

function wireSource({ source }: ImageBlock): Json {
  return source.kind === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.base64 }
}

/** The dialect takes an object and nothing else. */
function parseArguments(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}

function mark(cache: CacheMark | undefined): Json {
  return cache?.from === 'cache_control'
    ? { cache_control: { type: 'ephemeral', ttl: cache.ttl } }
    : {}
}

function wireChoice(choice: ToolChoice, parallel: boolean): Json {
  const types = { auto: 'auto', none: 'none', required: 'any', named: 'tool' } as const
  return {
    type: types[choice.kind],
    ...(choice.kind === 'named' ? { name: choice.name } : {}),
    ...(parallel || choice.kind === 'none' ? {} : { disable_parallel_tool_use: true }),
  }
}

/** The scale of temperatures ends at 1 here, and no limit on the tokens to pick from is not said by a number. */
function wireSampling({ sampling: { temperature, topP, topK } }: CallRequest): Json {
  return withoutUndefined({
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: topP,
    top_k: topK === -1 ? undefined : topK,
  })
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
function thinkingOf({ effort, canThink }: EngineCall): Json {
  if (effort !== null) return { thinking: { type: 'adaptive', display: 'summarized' } }
  return canThink ? { thinking: { type: 'disabled' } } : {}
}
