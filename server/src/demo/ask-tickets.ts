// Asks a model for the codes of tickets, the way an application would.
import type { Client } from './client.ts'
import type { Stage } from './stage.ts'
import { questionOf, type Ticket } from './tickets.ts'

const atOnce = 4

export type Replied = { ticket: Ticket; reply: string }

type Completion = { choices: { message: { content: string | null } }[] }
type Chunk = { choices: { delta: { content?: string | null } }[] }

/** The first call is shown, and the others are counted. */
export async function askAll(
  { client, paper }: Stage,
  model: string,
  tickets: Ticket[],
): Promise<Replied[]> {
  const replied: Replied[] = []
  for (let from = 0; from < tickets.length; from = replied.length) {
    const some = from === 0 ? tickets.slice(0, 1) : tickets.slice(from, from + atOnce)
    replied.push(
      ...(await Promise.all(some.map((ticket) => askOne(client, model, ticket, from === 0)))),
    )
    paper.going({
      what: 'asking',
      share: replied.length / tickets.length,
      detail: `${replied.length} of ${tickets.length} tickets`,
    })
  }
  paper.over()
  return replied
}

async function askOne(
  client: Client,
  model: string,
  ticket: Ticket,
  isShown: boolean,
): Promise<Replied> {
  const completion = await client.call<Completion>('POST', '/v1/chat/completions', {
    body: bodyOf(model, ticket),
    ...(isShown ? { tells: (answer) => JSON.stringify(replyIn(answer)) } : {}),
  })
  return { ticket, reply: replyIn(completion) }
}

function bodyOf(model: string, ticket: Ticket): object {
  return { model, messages: questionOf(ticket), max_tokens: 16, temperature: 0 }
}

function replyIn({ choices: [first] }: Completion): string {
  return (first?.message.content ?? '').trim()
}

/** Asks once more and shows the answer while it comes, piece by piece. */
export async function askLive(
  { client, paper }: Stage,
  model: string,
  ticket: Ticket,
): Promise<string> {
  const pieces: string[] = []
  const body = { ...bodyOf(model, ticket), stream: true }
  for await (const event of client.stream('/v1/chat/completions', body)) {
    const piece = (event as Chunk).choices[0]?.delta.content
    if (piece) pieces.push(piece)
  }
  paper.line(`  200 ${pieces.map((piece) => JSON.stringify(piece)).join(' + ')}`)
  return pieces.join('').trim()
}

export function countRight(replied: Replied[]): number {
  return replied.filter(({ ticket, reply }) => reply === ticket.code).length
}
