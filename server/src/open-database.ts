// Where the database is: the one DATABASE_URL names, or the embedded one in the data folder.
import { realpath } from 'node:fs/promises'
import type { Config } from './config.ts'
import { makeFolder } from './lib/make-folder.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { holdsDatabase } from './storage/embedded-postgres/choose-home.ts'
import { FolderInUse } from './storage/embedded-postgres/lock-folder.ts'
import { readNote } from './storage/embedded-postgres/server-note.ts'
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
  return {
    url: server.url,
    exclusive: true,
    exited: server.exited,
    stop: () => server.stop(),
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
    if (!(await isInUse(config.dataDir, problem))) throw problem
    const url = await readNote(config.dataDir)
    if (url === null) throw problem
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

/** A copy of the folder whose database cannot be opened, or is that of the original, must not lead to the original. */
async function isInUse(dataDir: string, problem: unknown): Promise<boolean> {
  return problem instanceof FolderInUse && problem.folder === (await realpath(dataDir))
}

function elsewhere(url: string): OpenDatabase {
  return { url, exclusive: false, exited: new Promise(() => {}), stop: () => Promise.resolve() }
}
