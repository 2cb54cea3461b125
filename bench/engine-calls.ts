// Calls to an engine whose answers run to their ceiling, and how long they take.
import { performance } from 'node:perf_hooks'
import { noCachePreference } from '../server/src/core/request.ts'
import type { CallRequest, OutputFormat } from '../server/src/core/request.ts'
import type { Engine, EngineCall } from '../server/src/engine/engine.ts'

export const never = new AbortController().signal

export type Measured = {
  firstMs: number
  totalMs: number
  inputTokens: number
  outputTokens: number
}

let made = 0

export function callsMade(): number {
  return made
}

export function callOf(
  content: string,
  options: Partial<EngineCall> & { output?: OutputFormat },
): EngineCall {
  const { output = { kind: 'text' }, ...changes } = options
  const request: CallRequest = {
    model: 'bench',
    tools: [],
    system: [],
    messages: [{ role: 'user', blocks: [{ type: 'text', text: content }] }],
    toolChoice: { kind: 'auto' },
    parallelToolCalls: true,
    stop: [],
    // Nearly even chances, so that an answer does not end before its ceiling.
    sampling: { temperature: 8, seed: made++ },
    reasoning: { kind: 'default' },
    output,
    cache: noCachePreference,
    conversation: null,
  }
  const requestId = `bench-${made}`
  // A workspace of its own keeps a call from finding what an earlier one left in the cache.
  const workspaceId = requestId
  return {
    request,
    engineModel: '',
    effort: null,
    thinkingBudgetTokens: null,
    maxTokens: 1,
    requestId,
    workspaceId,
    ...changes,
  }
}

export async function measure(engine: Engine, call: EngineCall): Promise<Measured> {
  const start = performance.now()
  let firstMs = 0
  for await (const parts of engine.call(call, never)) {
    firstMs ||= performance.now() - start
    const part = parts.at(-1)
    if (part?.type !== 'finish') continue
    const { inputTokens, outputTokens } = part.usage
    return { firstMs, totalMs: performance.now() - start, inputTokens, outputTokens }
  }
  throw new Error('The answer was cut.')
}

const words = 'order refund ship late invoice blue table seven quick paper'.split(' ')

export function textOf(count: number): string {
  return Array.from({ length: count }, () => words[Math.floor(Math.random() * words.length)]).join(
    ' ',
  )
}
