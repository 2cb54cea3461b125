// Stands between Hone and PostgreSQL and breaks what a network breaks: refused and cut connections, silence,
// slowness, and an answer that is lost after the server has done what was asked.
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * | Mode   | New connections        | Open connections                  |
 * |--------|------------------------|-----------------------------------|
 * | pass   | forwarded              | forwarded                         |
 * | slow   | forwarded, 200 ms late | forwarded, 200 ms late            |
 * | stall  | accepted, then silence | silence, in both directions       |
 * | refuse | refused                | cut when the mode is entered      |
 */
export type ProxyMode = 'pass' | 'slow' | 'stall' | 'refuse'

export type DatabaseProxy = {
  /** The database, through the proxy. */
  url: string
  set(mode: ProxyMode): Promise<void>
  /** Cuts every open connection once; new ones are welcome. */
  cut(): void
  /** The next statement whose bytes hold such a text, once for each: the server runs it, its answer is lost and the connection cut. */
  loseReplyTo(...texts: string[]): void
  /** The next connection on which such a text is sent, once for each: from there on it is silent in both directions, and stays open. */
  silenceAt(...texts: string[]): void
  /** How many replies were lost. */
  readonly repliesLost: number
  close(): Promise<void>
}

const slowMs = 200

export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = addressOf(databaseUrl)
  const clients = new Set<Socket>()
  const paused: (() => void)[] = []
  let mode: ProxyMode = 'pass'
  let losing: string[] = []
  let silencing: string[] = []
  let repliesLost = 0

  const server = createServer((client) => {
    const upstream = connect(target)
    let loseReply = false
    let isSilent = false
    clients.add(client)
    const end = (): void => {
      clients.delete(client)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    pipe(client, upstream, (bytes) => {
      const silenced = silencing.find((text) => bytes.includes(text))
      if (silenced !== undefined) {
        silencing = silencing.filter((text) => text !== silenced)
        isSilent = true
      }
      if (isSilent) return false
      const lost = losing.find((text) => bytes.includes(text))
      if (lost !== undefined) {
        losing = losing.filter((text) => text !== lost)
        loseReply = true
      }
      return true
    })
    pipe(upstream, client, () => {
      if (isSilent) return false
      if (!loseReply) return true
      // An answer is on its way back, so the statement is done: in autocommit, committed.
      repliesLost += 1
      end()
      return false
    })
  })

  /** Forwards in order, however the mode changes on the way. */
  function pipe(from: Socket, to: Socket, look: (bytes: Buffer) => boolean): void {
    let last = Promise.resolve()
    from.on('data', (bytes: Buffer) => {
      from.pause()
      last = last.then(async () => {
        if (mode === 'slow') await delay(slowMs)
        while (mode === 'stall') await new Promise<void>((go) => paused.push(go))
        if (!to.destroyed && look(bytes)) to.write(bytes)
        from.resume()
      })
    })
  }

  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  const cut = (): void => {
    for (const client of clients) client.resetAndDestroy()
  }
  const close = async (): Promise<void> => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    cut()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`

  return {
    url: url.href,
    async set(next) {
      mode = next
      if (next === 'refuse') await close()
      else if (!server.listening) await listen(port)
      if (next !== 'stall') for (const go of paused.splice(0)) go()
    },
    cut,
    loseReplyTo(...texts) {
      losing = texts
    },
    silenceAt(...texts) {
      silencing = texts
    },
    get repliesLost() {
      return repliesLost
    },
    async close() {
      mode = 'refuse'
      for (const go of paused.splice(0)) go()
      await close()
    },
  }
}

/** Where the server listens, for whoever stands before it. */
export function addressOf(databaseUrl: string): NetConnectOpts {
  const { hostname, port } = new URL(databaseUrl)
  const host = decodeURIComponent(hostname)
  return host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port || '5432'}` }
    : { host, port: Number(port || '5432') }
}
