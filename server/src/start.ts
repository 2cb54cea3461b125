// Starts Hone: opens its parts and the port, reaches the database, and closes everything again in order.
import { readFile } from 'node:fs/promises'
import { type Logger, pino } from 'pino'
import type { App } from './app.ts'
import type { Config } from './config.ts'
import { type FirstOwner, firstStart, planSetUp } from './first-start.ts'
import { closeServer, listen } from './http/listen.ts'
import { buildServer } from './http/server.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { openLineWriter } from './lib/line-writer.ts'
import { keepTickShape } from './lib/tick-shape.ts'
import { storableId } from './samples/sample/storable-name.ts'
import { openApp } from './open-app.ts'
import { makeDataDir, type OpenDatabase, openDatabase } from './open-database.ts'
import { OpenParts } from './open-parts.ts'
import { fullDiskProblem, isFullDisk } from './storage/embedded-postgres/folder-problem.ts'
import { migrate } from './storage/migrate.ts'
import { hearChanges, type StorageOptions } from './storage/open-storage.ts'
import { untilReachable } from './storage/until-reachable.ts'
import { allTasks, type Background } from './task/all-tasks.ts'
import { type Reconciler, TaskDriver } from './task/driver.ts'
import { takeBack } from './task/take-back-leases.ts'
import { readLeftPages } from './wallet/charge-journal.ts'
import { chargeLeftPages } from './wallet/charge-left-pages.ts'

export type Running = {
  app: App
  background: Background
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

export async function start(options: StartOptions): Promise<Running> {
  keepTickShape()
  const parts = new OpenParts()
  try {
    return await openAll(parts, options)
  } catch (error) {
    await parts.close()
    throw error
  }
}

async function openAll(parts: OpenParts, options: StartOptions): Promise<Running> {
  const { config, env, say, clock = systemClock, leaseMs, storage } = options
  await makeDataDir(config)
  const log = openLog(parts, config)
  const database = await openDatabase(config, say)
  parts.add(() => database.stop())
  // Before this process writes any of its own.
  const leftPages = await readLeftPages(config.dataDir)
  const { app, background } = await openApp(parts, {
    config,
    env,
    clock,
    log,
    database,
    leaseMs,
    storage,
  })
  const server = buildServer(app, await readVersion())
  parts.addWayIn(() => closeServer(app, server))
  const url = await listen(app, server)

  const reach = reaching(database, url, options)
  await reach(() => migrate(database.url))
  await reach(() => hearChanges(app.storage))
  // Before their leases go, which may be all there is to pay them from.
  await reach(() =>
    chargeLeftPages({ log, wallets: app.money.wallets }, leftPages, database.exclusive),
  )
  // Nobody else can be on the embedded database, so every lease in it is a dead process's.
  await reach(() => takeBack(app, database.exclusive))
  // Last, when nothing else can fail: the secrets it makes are shown only after a start that worked.
  const setUp = planSetUp(config.admin, clock.now())
  const firstOwner = await reach(() => firstStart(app.storage, setUp, clock.now()))
  const tasks = new TaskDriver(app, options.tasks ?? allTasks(background))
  parts.addTogether(() => tasks.close())
  app.operations.opening = false
  return { app, background, url, firstOwner, failed: database.exited, stop: () => parts.close() }
}

function openLog(parts: OpenParts, { logLevel }: Config): Logger {
  const lines = openLineWriter(1, {
    lost: (count) =>
      log.warn({ lines: count }, 'log lines were lost because the output was not read in time'),
  })
  parts.add(() => lines.close())
  // Clients choose their request ids, and may put anything there.
  const log = pino({ level: logLevel, serializers: { request_id: storableId } }, lines)
  parts.reportUnclosed = (err) => log.error({ err }, 'a part of Hone could not be closed cleanly')
  return log
}

/** An embedded database that does not answer is broken; one elsewhere may be started at the same time as Hone. */
function reaching(
  database: OpenDatabase,
  url: string,
  { config, say, signal }: StartOptions,
): <Result>(step: () => Promise<Result>) => Promise<Result> {
  const failed = (error: unknown): never => {
    throw isFullDisk(error) ? fullDiskProblem(config.dataDir) : error
  }
  if (database.exclusive) return (step) => step().catch(failed)
  const meanwhile = `Until then ${url} answers 503.`
  return (step) => untilReachable(step, { say, meanwhile, signal })
}

async function readVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}
