// Asks an engine for the codes of the demo's tickets.
import { type CallRequest, noCachePreference } from '../server/src/core/request.ts'
import type { Ticket } from '../server/src/demo/tickets.ts'
import { type Engine } from '../server/src/engine/engine.ts'

/** How many tickets get exactly the right code, several asked at once. */
export async function countRight(
  engine: Engine,
  engineModel: string,
  tickets: Ticket[],
): Promise<number> {
  const queue = [...tickets]
  let right = 0
  const ask = async (): Promise<void> => {
    for (let ticket = queue.pop(); ticket; ticket = queue.pop()) {
      if ((await answerTo(engine, engineModel, ticket)) === ticket.code) right += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  return right
}

async function answerTo(engine: Engine, engineModel: string, ticket: Ticket): Promise<string> {
  const request: CallRequest = {
    model: engineModel,
    tools: [],
    system: [{ type: 'text', text: ticket.system }],
    messages: [{ role: 'user', blocks: [{ type: 'text', text: ticket.text }] }],
    toolChoice: { kind: 'none' },
    parallelToolCalls: false,
    stop: [],
    sampling: { temperature: 0 },
    reasoning: { kind: 'off' },
    output: { kind: 'text' },
    cache: noCachePreference,
    conversation: null,
  }
  const call = {
    request,
    engineModel,
    effort: null,
    thinkingBudgetTokens: null,
    maxTokens: 16,
    requestId: '',
    workspaceId: 'bench',
  }
  let text = ''
  for await (const parts of engine.call(call, new AbortController().signal)) {
    for (const part of parts) if (part.type === 'text-delta') text += part.text
  }
  return text.trim()
}
