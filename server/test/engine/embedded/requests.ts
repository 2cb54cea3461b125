// Short ways to write the requests and calls of the tests.
import type { Block } from '#server/core/block.ts'
import { noCachePreference } from '#server/core/request.ts'
import type { CallRequest, Tool } from '#server/core/request.ts'
import type { StreamPart } from '#server/core/stream-part.ts'
import type { EngineCall } from '#server/engine/engine.ts'

export const text = (content: string): Block => ({ type: 'text', text: content })

export function tool(name: string, properties: Record<string, unknown> = {}): Tool {
  const required = Object.keys(properties)
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties, required },
    eager: false,
  }
}

export function request(content: string, changes: Partial<CallRequest> = {}): CallRequest {
  return {
    model: 'test',
    tools: [],
    system: [],
    messages: [{ role: 'user', blocks: [text(content)] }],
    toolChoice: { kind: 'auto' },
    parallelToolCalls: true,
    stop: [],
    sampling: { temperature: 0 },
    reasoning: { kind: 'default' },
    output: { kind: 'text' },
    cache: noCachePreference,
    conversation: null,
    ...changes,
  }
}

export function call(of: CallRequest, changes: Partial<EngineCall> = {}): EngineCall {
  return {
    request: of,
    engineModel: 'base',
    effort: null,
    thinkingBudgetTokens: null,
    maxTokens: 24,
    requestId: 'request',
    workspaceId: 'workspace',
    ...changes,
  }
}

export const never = new AbortController().signal

export async function collect(groups: AsyncIterable<readonly StreamPart[]>): Promise<StreamPart[]> {
  const all: StreamPart[] = []
  for await (const parts of groups) all.push(...parts)
  return all
}

export function textOf(parts: StreamPart[]): string {
  return parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
}

export function finishOf(parts: StreamPart[]): StreamPart & { type: 'finish' } {
  const last = parts.at(-1)
  if (last?.type !== 'finish') throw new Error('The stream did not finish.')
  return last
}
