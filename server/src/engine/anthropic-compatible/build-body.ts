// The neutral request as an Anthropic-compatible server takes it. Always streamed.
import type { Block, CacheMark, ImageBlock, Message, TextBlock } from '../../core/block.ts'
import type { CallRequest, ToolChoice } from '../../core/request.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import type { EngineCall } from '../engine.ts'

type Json = Record<string, unknown>

export function buildBody(call: EngineCall): Json {
  const { request } = call
  return {
    model: call.engineModel,
    max_tokens: call.maxTokens,
    stream: true,
    messages: mergeTurns(request.messages).map(({ role, blocks }) => ({
      role,
      content: blocks.map(wireBlock),
    })),
    ...(request.system.length > 0 ? { system: request.system.map(wireBlock) } : {}),
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

/** The dialect wants turns to alternate; a tool's answer and the words after it are one user turn. */
export function mergeTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = []
  for (const message of messages) {
    const role = message.role === 'system' ? 'user' : message.role
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...message.blocks)
    else turns.push({ role, blocks: [...message.blocks] })
  }
  return turns
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
        content: block.content.map((part: TextBlock | ImageBlock) => wireBlock(part)),
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

function parseArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
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

function wireSampling({ sampling }: CallRequest): Json {
  return withoutUndefined({
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
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
