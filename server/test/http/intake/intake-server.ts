// A server with nothing but the intake in front of one route, its limits set by the test, and raw requests to it.
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { setTimeout as lookUp } from 'node:timers/promises'
import Fastify from 'fastify'
import type { Caller } from '#server/account/caller.ts'
import { Refusal } from '#server/core/refusal.ts'
import { guardConnections, type IntakeOptions, withTextBodies } from '#server/http/intake/intake.ts'
import { BodyReader } from '#server/http/intake/read-body.ts'
import { closeUnread } from '#server/http/intake/unread-body.ts'
import { asRefusal, refusalHeaders, renderRefusal } from '#server/http/surface.ts'

export type IntakeServer = {
  port: number
  /** Bytes that left each closed connection's wire, newest last. */
  bytesRead: number[]
  /** Requests to `/hold` whose body has come, and which wait for their answer. */
  readonly holding: number
  /** Lets `/hold` answer. `/echo` answers at once, `/parse` after parsing. */
  release(): void
  close(): Promise<void>
}

export async function intakeServer(options: IntakeOptions = {}): Promise<IntakeServer> {
  let release = (): void => {}
  let holding = 0
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = Fastify({ forceCloseConnections: true })
  server.decorateRequest('caller', null)
  guardConnections(server, options)
  server.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error, 'chat')
    if (!request.raw.complete) closeUnread(request.raw, reply.raw)
    const text = renderRefusal('chat', refusal, request.id)
    return reply.code(refusal.status).headers(refusalHeaders(refusal)).send(text)
  })
  withTextBodies(server, new BodyReader(options.body), (scope) => {
    for (const path of ['/echo', '/hold', '/parse']) {
      scope.post(path, {
        onRequest: async (request) => {
          const { authorization } = request.headers
          if (!authorization) throw new Refusal('missing_bearer_token', 'No key.')
          if (authorization === 'Bearer unknown') {
            await lookUp(100)
            throw new Refusal('invalid_api_key', 'No such key.')
          }
          // As much of a caller as the intake looks at.
          request.caller = { workspace: { id: authorization } } as Caller
        },
        handler: async (request) => {
          if (path === '/parse') parse(request.body as string)
          if (path === '/hold') {
            holding += 1
            await held
            holding -= 1
          }
          return { characters: (request.body as string).length }
        },
      })
    }
  })
  const bytesRead: number[] = []
  server.server.on('connection', (socket: Socket) => {
    const watch = setInterval(() => (most = Math.max(most, socket.bytesRead)), 20)
    let most = 0
    socket.on('close', () => {
      clearInterval(watch)
      bytesRead.push(Math.max(most, socket.bytesRead))
    })
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  return {
    port: (server.server.address() as AddressInfo).port,
    bytesRead,
    get holding() {
      return holding
    },
    release,
    close: () => server.close(),
  }
}

function parse(text: string): void {
  try {
    JSON.parse(text)
  } catch {
    throw new Refusal('invalid_json', 'The body is not valid JSON.')
  }
}

/** A connection that keeps all that came back. */
export class RawClient {
  readonly socket: Socket
  received = ''
  closed = false
  readonly end: Promise<void>

  constructor(port: number, host = '127.0.0.1') {
    this.socket = connect(port, host)
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => {
      this.received += text
    })
    this.socket.on('error', () => {})
    this.end = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.closed = true
        resolve()
      })
    })
  }

  send(...lines: string[]): this {
    this.socket.write(lines.join('\r\n'))
    return this
  }

  /** Status codes of all answers so far, in order. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  }

  async until(found: () => boolean): Promise<void> {
    const deadline = Date.now() + 60_000
    while (!found()) {
      if (Date.now() > deadline) throw new Error(`waited in vain; received ${this.received}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

export function head(...headers: string[]): string {
  return ['POST /echo HTTP/1.1', 'host: hone', ...headers, '', ''].join('\r\n')
}
