// Lets one process at a time use a folder. The lock is SQLite's exclusive lock on an empty file,
// because that is the one lock of the operating system's own that Node can take: the kernel gives
// it back when the process ends in any way, kill -9 included, it also holds between containers that
// share the folder, and there is no stale file to judge.

import { access, constants, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { folderProblem, fullDiskProblem } from './folder-problem.ts'

/** Somebody else holds the lock on the folder. */
export class FolderInUse extends StartupProblem {
  readonly folder: string

  constructor(folder: string, message: string) {
    super(message)
    this.folder = folder
  }
}

export interface FolderLock {
  release(): Promise<void>
}

// A lock that nothing refers to would be closed by the garbage collector, and with it the folder
// given away.
const held = new Set<DatabaseSync>()

// Two processes that ask at the same moment can each keep the other from the lock for some
// milliseconds, so both try again for a while; one of them always gets it.
const patienceMs = 500

const sqliteBusy = 5
const sqliteFull = 13

export async function lockFolder(folder: string): Promise<FolderLock> {
  const pidFile = join(folder, 'hone.pid')
  try {
    // Never open the lock file itself in any other way: closing it would drop a lock that this
    // process holds.
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw folderProblem(folder, error)
  }
  const lock = await exclusive(join(folder, 'hone.lock'), folder, pidFile)
  held.add(lock)
  try {
    // Whoever was killed here before may have been another user, whose file could not be
    // overwritten.
    await rm(pidFile, { force: true })
    await writeFile(pidFile, `${process.pid}\n`)
  } catch (error) {
    held.delete(lock)
    lock.close()
    throw folderProblem(folder, error)
  }
  return {
    async release() {
      if (!held.delete(lock)) return
      // The lock file stays: removing it would let a third process lock a new one while a second
      // waits on the old.
      await rm(pidFile, { force: true })
      lock.close()
    },
  }
}

async function exclusive(lockFile: string, folder: string, pidFile: string): Promise<DatabaseSync> {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockFile, { timeout: patienceMs })
    // Nothing is ever written, so there is no journal to keep either.
    lock.exec('PRAGMA journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const { errcode } = error as { errcode?: number }
    if (errcode === sqliteBusy) throw await inUse(folder, pidFile)
    if (errcode === sqliteFull) throw fullDiskProblem(folder)
    throw new StartupProblem(
      `Hone cannot lock its data folder ${folder} (${(error as Error).message}): make ${lockFile} writable for this user, or set HONE_DATA_DIR to a folder on a local disk.`,
      { cause: error },
    )
  }
}

async function inUse(folder: string, pidFile: string): Promise<FolderInUse> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''))
  const named = pid > 0 && isAlive(pid) ? ` (pid ${pid})` : ''
  return new FolderInUse(
    folder,
    `The data folder ${folder} is in use by another Hone process${named}: stop that one first, or set HONE_DATA_DIR to another folder.`,
  )
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
