// The demo task: support tickets that get made-up routing codes, which the bundled model has never seen.
import { readFile } from 'node:fs/promises'
import type { Message } from '../core/block.ts'
import { type CallRequest, noCachePreference } from '../core/request.ts'
import { type Engine } from '../engine/engine.ts'

const folder = new URL('../../../models/demo/routing/', import.meta.url)

export type Ticket = { system: string; ticket: string; code: string }

export async function readTickets(file: 'train' | 'unseen' | 'new-wording'): Promise<Ticket[]> {
  const text = await readFile(new URL(`${file}.jsonl`, folder), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { messages } = JSON.parse(line) as { messages: { role: string; content: string }[] }
      const content = (role: string): string =>
        messages.find((message) => message.role === role)?.content ?? ''
      return { system: content('system'), ticket: content('user'), code: content('assistant') }
    })
}

export function conversationOf(ticket: Ticket): Pick<CallRequest, 'tools' | 'system' | 'messages'> {
  const question: Message = { role: 'user', blocks: [{ type: 'text', text: ticket.ticket }] }
  return {
    tools: [],
    system: ticket.system === '' ? [] : [{ type: 'text', text: ticket.system }],
    messages: [question],
  }
}

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
    ...conversationOf(ticket),
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
    workspaceId: 'demo',
  }
  let text = ''
  for await (const parts of engine.call(call, new AbortController().signal)) {
    for (const part of parts) if (part.type === 'text-delta') text += part.text
  }
  return text.trim()
}
