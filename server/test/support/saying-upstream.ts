// A real HTTP server that answers as a test says, by the model that is asked for. It logs what reached it, and on which
// connection.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type SaidCall = { body: Record<string, unknown>; connection: number; path: string }

/** `nth` counts the requests of its connection. */
type Exchange = { response: ServerResponse; socket: Socket; nth: number; call: SaidCall }
export type Saying = (exchange: Exchange) => void

export type SayingUpstream = {
  baseUrl: string
  calls: SaidCall[]
  says: Record<string, Saying>
  close(): Promise<void>
}

export async function sayingUpstream(): Promise<SayingUpstream> {
  const calls: SaidCall[] = []
  const says: Record<string, Saying> = {}
  const seen = new WeakMap<Socket, { number: number; requests: number }>()
  let connections = 0
  const server = createServer((request, response) => {
    const { socket } = request
    void readJson(request).then((body) => {
      const connection = seen.get(socket) ?? { number: ++connections, requests: 0 }
      seen.set(socket, connection)
      const nth = ++connection.requests
      const call = { body, connection: connection.number, path: request.url ?? '' }
      calls.push(call)
      const saying = says[String(body.model)]
      if (saying) saying({ response, socket, nth, call })
      else response.writeHead(404).end()
    })
  })
  // Connections stay as long as a test may take.
  server.keepAliveTimeout = 300_000
  server.on('connection', (socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    says,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  try {
    return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** One JSON text, whatever was asked for. */
export function json(said: unknown, type = 'application/json'): Saying {
  return ({ response }) =>
    void response.writeHead(200, { 'content-type': type }).end(JSON.stringify(said))
}

export function status(code: number, headers: Record<string, string> = {}): Saying {
  return ({ response }) => void response.writeHead(code, headers).end('{}')
}
