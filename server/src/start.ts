// Wires a running Hone: database, accounts, wallet, catalog, engines, HTTP. Everything that was opened is closed
// again in reverse, after the calls in flight have finished.
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Identity } from './account/identify-caller.ts'
import type { App } from './app.ts'
import { Catalog } from './catalog/catalog.ts'
import type { Config } from './config.ts'
import { Engines } from './engine/engines.ts'
import { type FirstOwner, firstStart } from './first-start.ts'
import { buildServer } from './http/server.ts'
import { noRecorder } from './inference/recorder.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createMetrics } from './lib/metrics.ts'
import { formatUsd } from './lib/money.ts'
import { openSecrets } from './lib/secrets.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { makeDataDir, openDatabase } from './open-database.ts'
import { migrate } from './storage/migrate.ts'
import { openStorage } from './storage/open-storage.ts'
import { takeBackLeases } from './wallet/wallet-store.ts'
import { Wallets } from './wallet/wallets.ts'

export type Running = {
  app: App
  url: string
  firstOwner: FirstOwner | null
  /** Resolves, with a sentence, when Hone cannot go on. */
  failed: Promise<string>
  stop(): Promise<void>
}

export type StartOptions = {
  config: Config
  env: Record<string, string | undefined>
  say: (sentence: string) => void
  clock?: Clock
  leaseMs?: number
}

export async function start(options: StartOptions): Promise<Running> {
  const { config, say, clock = systemClock } = options
  const opened: (() => Promise<void> | void)[] = []
  // One part that cannot be closed, because the database is gone, must not keep the others open.
  let reportUnclosed = (_: unknown): void => {}
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) {
      try {
        await close()
      } catch (error) {
        reportUnclosed(error)
      }
    }
  }
  try {
    await makeDataDir(config)
    const log = pino({ level: config.logLevel }, pino.destination({ dest: 1, sync: false }))
    opened.push(() => log.flush())
    reportUnclosed = (err) => log.error({ err }, 'a part could not be closed in order')

    const database = await openDatabase(config, say)
    opened.push(() => database.stop())
    await migrate(database.url)
    const storage = await openStorage(database.url, clock)
    opened.push(() => storage.close())

    const wallets = new Wallets(storage, clock, {
      ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      report: {
        unpaid(charge, why) {
          metrics.unbilledCharges.inc()
          log.error(
            { request_id: charge.requestId, amount_usd: formatUsd(charge.amount), why },
            'a delivered answer could not be charged',
          )
        },
      },
    })
    opened.push(() => wallets.close())
    const metrics = createMetrics({
      chargesPending: () => wallets.chargesPending,
      storageConnected: () => storage.changes.connected,
    })
    const takeBack = async (ofEveryone: boolean): Promise<void> => {
      for (const lease of await takeBackLeases(storage, ofEveryone)) {
        log.warn(
          {
            process_id: lease.processId,
            wallet_id: lease.walletId,
            returned_usd: formatUsd(lease.amount),
          },
          'a process ended without giving back what it had leased; its calls in flight were not billed',
        )
      }
    }
    // Nobody else can be on the embedded database, so every lease in it is a dead process's.
    await takeBack(database.exclusive)
    const takingBack = setInterval(() => void takeBack(false).catch(() => {}), 5000)
    opened.push(() => clearInterval(takingBack))

    const catalog = await Catalog.open(config.catalogFile, log)
    opened.push(() => catalog.close())
    const engines = new Engines(options.env)
    opened.push(() => engines.close())
    const secrets = await openSecrets(config.dataDir, config.secret)
    const tokenSecret = secrets.keyFor('access-token')

    const app: App = {
      config,
      clock,
      log,
      metrics,
      storage,
      identity: new Identity(storage, clock, tokenSecret),
      wallets,
      catalog,
      engines,
      recorder: noRecorder,
      tokenSecret,
      calls: new Set(),
      closing: false,
    }
    const server = buildServer(app, await readVersion())
    opened.push(() => closeServer(app, server))
    const url = await listen(() => server.listen({ host: config.host, port: config.port }), config)
    const { port } = server.server.address() as AddressInfo
    // Last, when nothing else can fail: the secrets it makes are shown only after a start that worked.
    const firstOwner = await firstStart(storage, config.admin, clock.now())

    return {
      app,
      url: url.replace(/:\d+$/, `:${port}`),
      firstOwner,
      failed: database.exited,
      stop: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function listen(listening: () => Promise<string>, config: Config): Promise<string> {
  try {
    return await listening()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const where = `${config.host}:${config.port}`
    throw new StartupProblem(
      code === 'EADDRINUSE'
        ? `Port ${config.port} on ${config.host} is taken; stop what uses it or set PORT to another.`
        : `Cannot listen on ${where} (${message}); check HONE_HOST and PORT.`,
      { cause: error },
    )
  }
}

const cutMs = 1000

/** Stops accepting, lets calls finish, and cuts those that outlast the grace. */
async function closeServer(app: App, server: FastifyInstance): Promise<void> {
  app.closing = true
  const graceMs = app.config.graceSeconds * 1000
  const impatience = setTimeout(() => {
    for (const call of app.calls) call.abort()
  }, graceMs)
  // An aborted call still says so to its client; a client that neither reads nor writes cannot be waited for.
  const cut = setTimeout(() => server.server.closeAllConnections(), graceMs + cutMs)
  await server.close()
  clearTimeout(impatience)
  clearTimeout(cut)
}

async function readVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}
