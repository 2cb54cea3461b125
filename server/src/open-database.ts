// Where the database is: the one DATABASE_URL names, or the embedded one in the data folder. A note in the folder
// lets other commands find the embedded one while a server runs on it.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { makeFolder } from './lib/make-folder.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { holdsDatabase } from './storage/embedded-postgres/choose-home.ts'
import { folderProblem } from './storage/embedded-postgres/folder-problem.ts'
import { startEmbeddedPostgres } from './storage/embedded-postgres/start-embedded-postgres.ts'

export type OpenDatabase = {
  url: string
  /** True when no other process can be using this database. */
  exclusive: boolean
  /** Resolves, with a sentence, when the database ended by itself. */
  exited: Promise<string>
  stop(): Promise<void>
}

type Say = (sentence: string) => void

export async function openDatabase(config: Config, say: Say): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) return elsewhere(config.databaseUrl)
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir, log: say })
  const note = noteFile(config)
  try {
    await writeFile(note, server.url, { mode: 0o600 })
  } catch (error) {
    await server.stop()
    throw folderProblem(config.dataDir, error)
  }
  return {
    url: server.url,
    exclusive: true,
    exited: server.exited,
    async stop() {
      await rm(note, { force: true })
      await server.stop()
    },
  }
}

/** For commands other than serving: they make no database, and beside a running server they use its. */
export async function openPresentDatabase(config: Config, say: Say): Promise<OpenDatabase> {
  if (config.databaseUrl === null && !(await holdsDatabase(config.dataDir))) {
    throw new StartupProblem(
      `There is no database in ${config.dataDir}; set HONE_DATA_DIR to the data folder of the Hone you mean, or DATABASE_URL.`,
    )
  }
  try {
    return await openDatabase(config, say)
  } catch (problem) {
    const url = await readFile(noteFile(config), 'utf8').catch(() => null)
    if (!(problem instanceof StartupProblem) || url === null) throw problem
    return elsewhere(url)
  }
}

export async function makeDataDir(config: Config): Promise<void> {
  try {
    await makeFolder(config.dataDir, 0o700)
  } catch (error) {
    throw new StartupProblem(
      `Cannot make the data folder ${config.dataDir} (${(error as Error).message}); set HONE_DATA_DIR to one you may write.`,
    )
  }
}

function noteFile(config: Config): string {
  return join(config.dataDir, 'database-url')
}

function elsewhere(url: string): OpenDatabase {
  return { url, exclusive: false, exited: new Promise(() => {}), stop: () => Promise.resolve() }
}
