// The real command line as a child process, on a data folder of its own. Whatever a test does or fails to do,
// no process and no folder of it outlives the test file.
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isAlive, serversUnder } from '#test/storage/embedded-postgres/scratch.ts'
import { until } from './until.ts'

export type Env = Record<string, string>

export type HoneProcessOptions = {
  dataDir: string
  /** Nothing of the test's own environment reaches the process but the search path and the cache of compiled code. */
  env?: Env
  command?: string[]
  user?: { uid: number; gid: number }
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

export type HoneProcess = {
  pid: number
  dataDir: string
  /** What it has printed so far. */
  readonly stdout: string
  readonly stderr: string
  /** The address, once it says that it listens; fails with what it printed if it ends before. */
  listening(): Promise<string>
  kill(signal: NodeJS.Signals): void
  /** Resolves when the process has ended and all of its output is here. */
  ended: Promise<Exit>
  /** The same command on the same folder, once this one has ended. */
  restart(env?: Env): Promise<HoneProcess>
}

export type Owner = { email: string; password: string; key: string }

export const chosenOwner: Owner = {
  email: 'owner@example.com',
  password: 'correct horse battery',
  key: 'test-key-of-the-first-owner',
}

export const ownerEnv: Env = {
  HONE_ADMIN_EMAIL: chosenOwner.email,
  HONE_ADMIN_PASSWORD: chosenOwner.password,
  HONE_ADMIN_KEY: chosenOwner.key,
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const children = new Set<ChildProcess>()
const folders: string[] = []

export function honeProcess(options: HoneProcessOptions): HoneProcess {
  const { dataDir, env = {}, command = ['serve'], user } = options
  const child = spawn(process.execPath, [main, ...command], {
    // A session of its own, as under a terminal: a test may signal the whole group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      HONE_DATA_DIR: dataDir,
      ...env,
    },
    ...user,
  })
  children.add(child)
  const printed = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text))
  let exit: Exit | null = null
  const ended = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      children.delete(child)
      exit = { code, signal }
      resolve(exit)
    })
  })
  return {
    pid: child.pid ?? 0,
    dataDir,
    get stdout() {
      return printed.stdout
    },
    get stderr() {
      return printed.stderr
    },
    async listening() {
      const address = () => /Hone listens on (\S+)/.exec(printed.stdout)?.[1]
      await until(() => address() !== undefined || exit !== null, 60_000)
      const url = address()
      if (url === undefined) {
        throw new Error(`Hone ended before it listened: ${printed.stdout}${printed.stderr}`)
      }
      return url
    },
    kill: (signal) => void child.kill(signal),
    ended,
    async restart(nextEnv = env) {
      await ended
      return honeProcess({ ...options, env: nextEnv })
    },
  }
}

/** A folder that is gone when the test file has ended; it can itself be a data folder, or hold some. */
export function honeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hone-process-'))
  folders.push(folder)
  return folder
}

let prepared: Promise<string> | undefined

/** A data folder that saw its first start before, with the chosen owner: quicker than a new one. */
export async function preparedFolder(): Promise<string> {
  prepared ??= (async () => {
    const dataDir = join(honeFolder(), 'data')
    const first = honeProcess({ dataDir, env: ownerEnv })
    await first.listening()
    first.kill('SIGTERM')
    await first.ended
    return dataDir
  })()
  const copy = join(honeFolder(), 'data')
  cpSync(await prepared, copy, { recursive: true })
  return copy
}

/** The database of a Hone that runs on this folder. */
export function databaseUrlIn(dataDir: string): string {
  return readFileSync(join(dataDir, 'database-url'), 'utf8')
}

/** The process id of the database server on this folder. */
export function databasePidIn(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

/** Every process that works on this folder has ended. */
export function isQuiet(hone: HoneProcess): boolean {
  return !isAlive(hone.pid) && serversUnder(hone.dataDir).length === 0
}

after(async () => {
  for (const child of children) child.kill('SIGKILL')
  // The database of a killed Hone is ended by its watchdog, which takes a moment.
  await until(
    () => children.size === 0 && folders.every((folder) => serversUnder(folder).length === 0),
    30_000,
  )
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
