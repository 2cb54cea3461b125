// The way in: opens the port, and closes it so that nobody who is being answered notices.
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { closeUnused, hasConnections, stopListening } from './intake/open-connections.ts'

/** Says where it is reached. */
export async function listen(app: App, server: FastifyInstance): Promise<string> {
  const { host, port } = app.config
  try {
    const address = await server.listen({ host, port })
    const taken = (server.server.address() as AddressInfo).port
    return address.replace(/:\d+$/, `:${taken}`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartupProblem(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is taken; stop what uses it or set PORT to another.`
        : `Cannot listen on ${host}:${port} (${message}); check HONE_HOST and PORT.`,
      { cause: error },
    )
  }
}

const cutMs = 1000
const sweepMs = 50
/** A request that is on its way when closing begins has so long to become one. */
const arriveMs = 1000

/** Stops accepting, lets calls finish, and cuts those that outlast the grace. */
export async function closeServer(app: App, server: FastifyInstance): Promise<void> {
  app.operations.closing = true
  const graceMs = app.config.graceSeconds * 1000
  const impatience = setTimeout(() => {
    const why = new Refusal('unavailable', 'Hone is being stopped; try again in a moment.', {
      retryAfterSeconds: 5,
    })
    for (const call of app.calls.underWay) call.abort(why)
  }, graceMs)
  // An aborted call still says so to its client; a client that neither reads nor writes cannot be waited for.
  const cut = setTimeout(() => server.server.closeAllConnections(), graceMs + cutMs)
  // On a connection that is open the next request may be on its way: it is answered, and told to be the last.
  const arrived = performance.now() + Math.min(arriveMs, graceMs)
  await stopListening(server.server, arrived)
  while (hasConnections(server.server) && performance.now() < arrived) await delay(sweepMs)
  closeUnused(server.server)
  // A connection that was busy until now would else be kept for a next request that nobody wants.
  const sweeping = setInterval(() => server.server.closeIdleConnections(), sweepMs)
  await server.close()
  clearTimeout(impatience)
  clearTimeout(cut)
  clearInterval(sweeping)
  // The last byte is out or will never be; each call still has to hand in its charge or its void.
  const end = performance.now() + cutMs
  while (app.calls.underWay.size > 0 && performance.now() < end) await delay(5)
}
