// Asks an engine for a word, to find out whether it answers.
import { type CallRequest, noCachePreference } from '../core/request.ts'
import type { Engine } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'

const oneWord: Omit<CallRequest, 'model'> = {
  tools: [],
  system: [],
  messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hi' }] }],
  toolChoice: { kind: 'auto' },
  parallelToolCalls: true,
  stop: [],
  sampling: {},
  reasoning: { kind: 'off' },
  output: { kind: 'text' },
  cache: noCachePreference,
  conversation: null,
}

/** One token at the operator's expense; no wallet is billed for it. */
export async function callBriefly(
  clock: Clock,
  engine: Engine,
  engineModel: string,
  signal: AbortSignal,
): Promise<boolean> {
  const requestId = newId(clock.now())
  const call = {
    request: { ...oneWord, model: engineModel },
    engineModel,
    effort: null,
    thinkingBudgetTokens: null,
    maxTokens: 1,
    requestId,
    workspaceId: requestId,
  }
  for await (const parts of engine.call(call, signal)) {
    if (parts.some(({ type }) => type === 'finish')) return true
  }
  return false
}
