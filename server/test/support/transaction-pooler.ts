// Stands between Hone and PostgreSQL as a pooler in transaction mode does: whoever asks is lent whatever session of the server
// is idle, and keeps it until its transaction is over.
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { addressOf } from './database-proxy.ts'

export type TransactionPooler = { url: string; close(): Promise<void> }

type Session = { socket: Socket; client: Client | null; starting: boolean }
type Client = { socket: Socket; session: Session | null; waiting: Buffer[]; unanswered: number }

const readyForQuery = 'Z'
const idle = 'I'
const answeredByReady = ['Q', 'S']

export async function transactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  const sockets = new Set<Socket>()
  const free: Session[] = []
  const queue: Client[] = []

  function lend(session: Session): void {
    const client = queue.shift()
    session.client = client ?? null
    if (!client) return void free.push(session)
    client.session = session
    for (const message of client.waiting.splice(0)) session.socket.write(message)
  }

  function ask(client: Client, message: Buffer): void {
    if (answeredByReady.includes(typeOf(message))) client.unanswered += 1
    if (client.session) return void client.session.socket.write(message)
    client.waiting.push(message)
    if (queue.includes(client)) return
    queue.push(client)
    const session = free.pop()
    if (session) lend(session)
  }

  function answer(session: Session, message: Buffer): void {
    const { client } = session
    if (typeOf(message) !== readyForQuery) return void client?.socket.write(message)
    if (client && !session.starting) client.unanswered -= 1
    session.starting = false
    client?.socket.write(message)
    if (message.toString('latin1', 5, 6) !== idle || (client && client.unanswered > 0)) return
    if (client) client.session = null
    lend(session)
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    // The server lets each client in itself; after that the session is anybody's.
    const session: Session = {
      socket: connect(addressOf(databaseUrl)),
      client: null,
      starting: true,
    }
    const client: Client = { socket, session, waiting: [], unanswered: 0 }
    session.client = client
    sockets.add(session.socket)
    let greeted = false
    const fromClient = splitter((message) => {
      if (typeOf(message) !== 'X') ask(client, message)
    })
    const fromServer = splitter((message) => answer(session, message))
    socket.on('data', (bytes: Buffer) => {
      if (greeted) return fromClient(bytes)
      greeted = true
      session.socket.write(bytes)
    })
    session.socket.on('data', fromServer)
    for (const each of [socket, session.socket]) each.on('error', () => each.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function typeOf(message: Buffer): string {
  return message.toString('latin1', 0, 1)
}

/** Calls for each whole message, however its bytes come. */
function splitter(each: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      each(message)
    }
  }
}
