// Wires a running Hone: database, accounts, wallet, catalog, engines, HTTP. Everything that was opened is closed
// again in reverse, after the calls in flight have finished; what has something to tell the database last is closed at the
// same time, so that one that does not answer is waited for once.
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Identity } from './account/identify-caller.ts'
import { LoginTurns } from './account/login-turns.ts'
import type { App } from './app.ts'
import { Catalog } from './catalog/catalog.ts'
import type { Config } from './config.ts'
import { Refusal } from './core/refusal.ts'
import { Engines } from './engine/engines.ts'
import { type FirstOwner, firstStart, planSetUp } from './first-start.ts'
import { closeUnused, hasConnections, stopListening } from './http/intake/open-connections.ts'
import { buildServer } from './http/server.ts'
import { AbortGuard } from './inference/abort-guard.ts'
import { CallPlaces } from './inference/call-places.ts'
import { RouteHealth } from './inference/route-health.ts'
import { WorkspaceLimits } from './inference/workspace-limits.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { openLineWriter } from './lib/line-writer.ts'
import { createMetrics } from './lib/metrics.ts'
import { formatUsd } from './lib/money.ts'
import { openSecrets } from './lib/secrets.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { keepTickShape } from './lib/tick-shape.ts'
import { within } from './lib/within.ts'
import { openLoop } from './loop/open-loop.ts'
import { RedactionPool } from './loop/redact/redaction-pool.ts'
import { ImportReader } from './loop/import/import-reader.ts'
import { SampleIndexer } from './loop/search/sample-indexer.ts'
import { SearchSlots } from './loop/search/search-slots.ts'
import { OwnStorages } from './loop/own-storage/own-storages.ts'
import { storableId } from './loop/sample/storable-name.ts'
import { makeDataDir, openDatabase } from './open-database.ts'
import { PromptCache } from './prompt-cache/prompt-cache.ts'
import { migrate } from './storage/migrate.ts'
import { hearChanges, makeStorage, type StorageOptions } from './storage/open-storage.ts'
import { untilReachable } from './storage/until-reachable.ts'
import { type Reconciler, TaskDriver } from './task/driver.ts'
import { billStorage } from './task/bill-storage.ts'
import { closeUnusedEngines } from './task/close-unused-engines.ts'
import { eraseObjects } from './task/erase-objects.ts'
import { expireSamples } from './task/expire-samples.ts'
import { forgetExpired } from './task/forget-expired.ts'
import { indexSamples } from './task/index-samples.ts'
import { probeRestingRoutes } from './task/probe-resting-routes.ts'
import { takeBack, takeBackExpiredLeases } from './task/take-back-leases.ts'
import { UsageWriter } from './usage/usage-writer.ts'
import { readLeftPages } from './wallet/charge-journal.ts'
import { chargeLeftPages } from './wallet/charge-left-pages.ts'
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
  /** Ends the wait for a database that cannot be reached. */
  signal?: AbortSignal
  clock?: Clock
  leaseMs?: number
  storage?: StorageOptions
  /** Others than all there are: a test may want nothing to happen but what it does itself. */
  tasks?: readonly Reconciler[]
}

const allTasks: readonly Reconciler[] = [
  takeBackExpiredLeases,
  forgetExpired,
  probeRestingRoutes,
  expireSamples,
  eraseObjects,
  billStorage,
  indexSamples,
  closeUnusedEngines,
]

export async function start(options: StartOptions): Promise<Running> {
  keepTickShape()
  const { config, say, clock = systemClock } = options
  type Close = () => Promise<void> | void
  let closeHttp: Close = () => {}
  const together: Close[] = []
  const opened: Close[] = []
  // One part that cannot be closed, because the database is gone, must not keep the others open.
  let reportUnclosed = (_: unknown): void => {}
  const closed = async (close: Close): Promise<void> => {
    try {
      await close()
    } catch (error) {
      reportUnclosed(error)
    }
  }
  const closeAll = async (): Promise<void> => {
    await closed(closeHttp)
    closeHttp = () => {}
    await within(togetherMsMax, Promise.all(together.splice(0).map(closed)))
    for (const close of opened.splice(0).reverse()) await closed(close)
  }
  try {
    await makeDataDir(config)
    const lines = openLineWriter(1, {
      lost: (count) => log.warn({ lines: count }, 'log lines were lost: nobody took them in time'),
    })
    opened.push(() => lines.close())
    const log = pino(
      // Clients choose their request ids, and may put anything there.
      { level: config.logLevel, serializers: { request_id: storableId } },
      lines,
    )
    reportUnclosed = (err) => log.error({ err }, 'a part could not be closed in order')

    const database = await openDatabase(config, say)
    opened.push(() => database.stop())
    const storage = makeStorage(database.url, clock, options.storage)
    opened.push(() => storage.close())

    const leftPages = await readLeftPages(config.dataDir)
    const wallets = new Wallets(storage, clock, {
      journal: {
        folder: config.dataDir,
        report: {
          failed: (err) =>
            log.error(
              { err },
              'charges cannot be written to the data folder; answers wait for the ledger',
            ),
        },
      },
      ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      report: {
        unpaid(charge, why) {
          metrics.unbilledCharges.inc()
          log.error(
            { request_id: charge.requestId, amount_usd: formatUsd(charge.amount), why },
            'a delivered answer could not be charged',
          )
        },
        underpaid(requestId, amount) {
          metrics.unbilledCharges.inc()
          log.error(
            { request_id: requestId, amount_usd: formatUsd(amount) },
            'a delivered answer cost more than its wallet could pay',
          )
        },
        refused: (err) =>
          log.error(
            { err },
            'the database refuses charges; they are tried again until it takes them',
          ),
        left: (charges) =>
          log.warn({ charges }, 'charges wait in the data folder for the next start'),
      },
    })
    together.push(() => wallets.close())
    const metrics = createMetrics({
      chargesPending: () => wallets.chargesPending,
      storageConnected: () => storage.changes.connected,
    })
    const catalog = await Catalog.open(config.catalogFile, log)
    opened.push(() => catalog.close())
    const secrets = await openSecrets(config.dataDir, config.secret)
    const engines = new Engines(options.env, secrets.keyFor('cache-salt'))
    opened.push(() => engines.close())
    const tokenSecret = secrets.keyFor('access-token')

    const callPlaces = new CallPlaces(storage, {
      processId: wallets.processId,
      alone: database.exclusive,
    })
    together.push(() => callPlaces.close())
    const abortGuard = new AbortGuard(storage, clock, {
      processId: wallets.processId,
      alone: database.exclusive,
    })
    together.push(() => abortGuard.close())
    const ownStorages = new OwnStorages(storage, clock, {
      key: secrets.keyFor('own-storage'),
      hosts: config.storageHosts,
    })
    opened.push(() => ownStorages.close())
    const usage = new UsageWriter(storage)
    const promptCache = new PromptCache(storage, clock, log)
    together.push(() => promptCache.drained())
    const imports = new ImportReader()
    opened.push(() => imports.close())
    const redaction = new RedactionPool()
    opened.push(() => redaction.close())
    const loop = openLoop({
      storage,
      clock,
      log,
      recording: {
        databaseUrl: database.url,
        ownStorage: { key: ownStorages.key, hosts: ownStorages.hosts.text },
      },
      loopOn: config.loopOn,
    })
    together.push(() => loop.close())
    const indexer = new SampleIndexer(database.url)
    const app: App = {
      config,
      clock,
      log,
      metrics,
      storage,
      identity: new Identity(storage, clock, tokenSecret),
      loginTurns: new LoginTurns(),
      wallets,
      catalog,
      promptCache,
      limits: new WorkspaceLimits(storage, clock, callPlaces, () => ({
        requestsPerMinute: catalog.limits.requests_per_minute,
        tokensPerMinute: catalog.limits.tokens_per_minute,
        concurrentCalls: catalog.limits.concurrent_calls,
      })),
      abortGuard,
      engines,
      answerPorts: {
        engineAt: (route) => engines.at(route),
        health: new RouteHealth(),
        monotonicMs: () => clock.monotonicMs(),
      },
      usage,
      indexer,
      recorder: loop.recorder,
      captureBook: loop.captureBook,
      redaction,
      imports,
      searches: new SearchSlots(),
      ownStorages,
      tokenSecret,
      thinkingKey: secrets.keyFor('thinking'),
      calls: new Set(),
      opening: true,
      closing: false,
    }
    together.push(() => usage.flush())
    together.push(() => app.limits.drained())
    together.push(() => indexer.close())
    const server = buildServer(app, await readVersion())
    closeHttp = () => closeServer(app, server)
    const address = await listen(
      () => server.listen({ host: config.host, port: config.port }),
      config,
    )
    const { port } = server.server.address() as AddressInfo
    const url = address.replace(/:\d+$/, `:${port}`)

    // An embedded database that does not answer is broken; one elsewhere may be started at the same time as Hone.
    const meanwhile = `Until then ${url} answers 503.`
    const reach = <Result>(step: () => Promise<Result>): Promise<Result> =>
      database.exclusive ? step() : untilReachable(step, { say, meanwhile, signal: options.signal })
    await reach(() => migrate(database.url))
    await reach(() => hearChanges(storage))
    // Before their leases go, which may be all there is to pay them from.
    await reach(() => chargeLeftPages({ wallets, log }, leftPages, database.exclusive))
    // Nobody else can be on the embedded database, so every lease in it is a dead process's.
    await reach(() => takeBack(app, database.exclusive))
    // Last, when nothing else can fail: the secrets it makes are shown only after a start that worked.
    const setUp = planSetUp(config.admin, clock.now())
    const firstOwner = await reach(() => firstStart(storage, setUp, clock.now()))
    const tasks = new TaskDriver(app, options.tasks ?? allTasks)
    together.push(() => tasks.close())
    app.opening = false

    return {
      app,
      url,
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

/** A task may be in the middle of something that takes long elsewhere; it is repeated after the next start. */
const togetherMsMax = 10_000

const cutMs = 1000
const sweepMs = 50
/** A request that is on its way when closing begins has so long to become one. */
const arriveMs = 1000

/** Stops accepting, lets calls finish, and cuts those that outlast the grace. */
async function closeServer(app: App, server: FastifyInstance): Promise<void> {
  app.closing = true
  const graceMs = app.config.graceSeconds * 1000
  const impatience = setTimeout(() => {
    const why = new Refusal('unavailable', 'Hone is being stopped; try again in a moment.', {
      retryAfterSeconds: 5,
    })
    for (const call of app.calls) call.abort(why)
  }, graceMs)
  // An aborted call still says so to its client; a client that neither reads nor writes cannot be waited for.
  const cut = setTimeout(() => server.server.closeAllConnections(), graceMs + cutMs)
  // On a connection that is open the next request may be on its way: it is answered, and told to be the last.
  stopListening(server.server)
  const arrived = performance.now() + Math.min(arriveMs, graceMs)
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
  while (app.calls.size > 0 && performance.now() < end) await delay(5)
}

async function readVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}
