// Starts the PostgreSQL that comes with Hone, on a data folder, and ends it again.
//
// Who may touch the cluster is decided first and by one thing only: a lock of the operating system
// on the data folder, which the kernel gives back when its process dies. Whoever holds it may take
// every server of the cluster for an orphan. So a server that a killed Hone left behind is always
// ended and started anew, never adopted: it would have been started with the settings of another
// version, and nothing would watch over it. In the ordinary case there is none, since a watchdog
// ends the server as soon as Hone is gone. PostgreSQL's own log makes both safe: what was committed
// stays.

import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeFolder } from '../../lib/make-folder.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { checkCluster } from './check-cluster.ts'
import type { Home } from './choose-home.ts'
import { chooseHome } from './choose-home.ts'
import { endLeftoverServer } from './end-leftover-server.ts'
import { endServer } from './end-server.ts'
import type { Binaries } from './find-binaries.ts'
import { findBinaries } from './find-binaries.ts'
import { folderProblem, fullDiskProblem, hasSpace, tellsOfFullDisk } from './folder-problem.ts'
import { initialiseCluster } from './initialise-cluster.ts'
import { lockFolder } from './lock-folder.ts'
import type { FolderLock } from './lock-folder.ts'
import { databaseUrl, ensurePasswordFile } from './server-address.ts'
import { loopbackAddress, socketAddress } from './server-address.ts'
import type { Address } from './server-address.ts'
import { openServerLog } from './server-log.ts'
import type { ServerLog } from './server-log.ts'
import { removeNote, writeNote } from './server-note.ts'
import { serverSettings } from './server-settings.ts'
import { spawnServer } from './spawn-server.ts'
import type { ServerProcess } from './spawn-server.ts'
import { thisSystem } from './system.ts'
import type { System } from './system.ts'
import { databaseName, waitUntilReady } from './wait-until-ready.ts'
import { watchOverServer } from './watch-over-server.ts'
import type { Watchdog } from './watch-over-server.ts'

export interface EmbeddedPostgresOptions {
  dataDir: string
  /** Told what a slow step is doing, in a sentence. */
  log: (sentence: string) => void
  /** Server settings that win over Hone's own, for tests that need no durability. */
  settings?: Record<string, string>
  /** Parts of the machine to replace, for tests. */
  system?: Partial<System>
}

export interface EmbeddedPostgres {
  /** A postgres:// URL of Hone's database, for the `pg` package. */
  url: string
  /** The process id of the server. */
  pid: number
  /** Ends the server and gives the data folder back; connections that are still open are cut. */
  stop(): Promise<void>
  /** Resolves, with a sentence, when the server ended without stop(); never otherwise. */
  exited: Promise<string>
}

interface Launch {
  home: Home
  binaries: Binaries
  cluster: string
  address: Address
  settings: Record<string, string>
  serverLog: ServerLog
}

interface Running extends Launch {
  server: ServerProcess
  watchdog: Watchdog
}

// After the death of a server by force, a busy backend of its may work on for a moment, and keeps
// the files to itself.
const oldBackend = /pre-existing shared memory block/
const oldBackendMsMax = 10_000

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const system: System = { ...thisSystem(), ...options.system }
  const dataDir = await ensureDataDir(options.dataDir)
  const locks: FolderLock[] = [await lockFolder(dataDir)]
  const releaseLocks = async () => {
    for (const lock of locks.reverse()) await lock.release()
  }
  let serverLog: ServerLog | undefined
  try {
    const { log } = options
    await removeNote(dataDir)
    const home = await chooseHome(dataDir, system, log)
    // A copy of the data folder has a copy of the pointer, and both lead to the same cluster.
    if (home.folder !== dataDir) locks.push(await lockFolder(home.folder))
    const binaries = await findBinaries(home, system)
    const loopback = system.transport === 'loopback'
    const passwordFile = loopback ? await ensurePasswordFile(home) : null
    const durable = options.settings?.fsync !== 'off'
    const cluster = await initialiseCluster({ home, binaries, passwordFile, durable, log })
    await checkCluster(cluster, binaries.majorVersion)
    await endLeftoverServer(cluster, binaries.pgCtl, log)
    const address = passwordFile ? await loopbackAddress(passwordFile) : await socketAddress(home)
    const settings = serverSettings(address, options.settings ?? {})
    serverLog = await openServerLog(join(dataDir, 'postgres.log'))
    const running = await launch({ home, binaries, cluster, address, settings, serverLog }, log)
    const server = handle(running, dataDir, releaseLocks)
    await noteOrStop(dataDir, server)
    return server
  } catch (error) {
    await serverLog?.close()
    await releaseLocks()
    throw folderProblem(dataDir, error)
  }
}

async function ensureDataDir(wanted: string): Promise<string> {
  const dataDir = resolve(wanted)
  try {
    await makeFolder(dataDir, 0o700)
    return await realpath(dataDir)
  } catch (error) {
    throw folderProblem(dataDir, error)
  }
}

async function launch(what: Launch, log: (sentence: string) => void): Promise<Running> {
  const { home, binaries, cluster, address, settings, serverLog } = what
  const begin = performance.now()
  for (;;) {
    const server = spawnServer(home.account, binaries.postgres, cluster, settings, serverLog)
    const watchdog = watchOverServer(server.pid, cluster)
    try {
      if (await waitUntilReady(address, server, log)) return { ...what, server, watchdog }
    } catch (error) {
      await endServer({ ...server, pgCtl: binaries.pgCtl })
      await watchdog.dismiss()
      throw error
    }
    await watchdog.dismiss()
    const reason = await serverLog.reason()
    if (!oldBackend.test(reason) || performance.now() - begin > oldBackendMsMax) {
      throw await didNotStart(cluster, serverLog.file, reason)
    }
    await delay(100)
  }
}

async function didNotStart(
  cluster: string,
  logFile: string,
  reason: string,
): Promise<StartupProblem> {
  // On a full disk the server cannot write its log either.
  if (tellsOfFullDisk(reason) || !(await hasSpace(cluster)) || !(await hasSpace(logFile))) {
    return fullDiskProblem(cluster)
  }
  return new StartupProblem(
    `The database in ${cluster} did not start (${reason}): read ${logFile}, and restore the data folder from a backup if it is damaged.`,
  )
}

async function noteOrStop(dataDir: string, server: EmbeddedPostgres): Promise<void> {
  try {
    await writeNote(dataDir, server.url)
  } catch (error) {
    await server.stop()
    throw error
  }
}

function handle(
  running: Running,
  dataDir: string,
  releaseLocks: () => Promise<void>,
): EmbeddedPostgres {
  const { server, watchdog, binaries, address, serverLog } = running
  let stopping: Promise<void> | undefined
  const stop = async () => {
    // One that stays leads nobody anywhere: it counts only while the folder is locked, and the next to lock it removes it.
    await removeNote(dataDir).catch(() => {})
    await endServer({ ...server, pgCtl: binaries.pgCtl })
    await watchdog.dismiss()
    await serverLog.close()
    await releaseLocks()
  }
  return {
    url: databaseUrl(address, databaseName),
    pid: server.pid,
    stop: () => (stopping ??= stop()),
    exited: new Promise((resolve) => {
      void server.ended.then(async ({ code, signal }) => {
        if (stopping) return
        void watchdog.dismiss()
        const how = signal ? `by ${signal}` : `with code ${code}`
        const reason = await serverLog.reason().catch(() => 'its log cannot be read')
        resolve(`The database server ended by itself ${how} (${reason}): read ${serverLog.file}.`)
      })
    }),
  }
}
