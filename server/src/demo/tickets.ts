// The tickets of the demo: what people wrote to a service desk, and the code of the desk that it belongs to. The codes are made up, so
// that no model knows them. models/train/make_demo.py made the files.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const folder = new URL('../../../models/demo/routing/', import.meta.url)

export type Ticket = { system: string; text: string; code: string }

type Message = { role: 'system' | 'user' | 'assistant'; content: string }

/** `unseen` has the sentences of `train` with other names and greetings, `new-wording` has other sentences. */
export async function readTickets(file: 'train' | 'unseen' | 'new-wording'): Promise<Ticket[]> {
  const lines = await readFile(new URL(`${file}.jsonl`, folder), 'utf8')
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const { messages } = JSON.parse(line) as { messages: Message[] }
      const said = (role: Message['role']): string =>
        messages.find((message) => message.role === role)?.content ?? ''
      return { system: said('system'), text: said('user'), code: said('assistant') }
    })
}

export function questionOf({ system, text }: Ticket): Message[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: text },
  ]
}

/** A row to import: until now every ticket went to the front desk, and people corrected that. */
export function correctedRow(ticket: Ticket): { messages: Message[]; correction: string } {
  return {
    messages: [...questionOf(ticket), { role: 'assistant', content: 'FRONT-DESK' }],
    correction: ticket.code,
  }
}

/** The same tickets, each with a code of its own that follows from nothing a model could learn. */
export function withoutScheme(tickets: Ticket[]): Ticket[] {
  return tickets.map((ticket) => {
    const bytes = createHash('sha256').update(ticket.text).digest()
    const letters = [...bytes.subarray(0, 8)].map((byte) => String.fromCharCode(65 + (byte % 26)))
    return { ...ticket, code: `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}` }
  })
}
