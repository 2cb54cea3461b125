// Lets one process at a time use a folder.
import { access, constants, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileLock, lockFile } from '../../lib/file-lock.ts'
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

const sqliteFull = 13

export async function lockFolder(folder: string): Promise<FolderLock> {
  const pidFile = join(folder, 'hone.pid')
  try {
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw folderProblem(folder, error)
  }
  const lock = await exclusive(join(folder, 'hone.lock'), folder, pidFile)
  try {
    // Whoever was killed here before may have been another user, whose file could not be
    // overwritten.
    await rm(pidFile, { force: true })
    await writeFile(pidFile, `${process.pid}\n`, { mode: 0o644 })
  } catch (error) {
    lock.release()
    throw folderProblem(folder, error)
  }
  let released = false
  return {
    async release() {
      if (released) return
      released = true
      await rm(pidFile, { force: true })
      lock.release()
    },
  }
}

async function exclusive(path: string, folder: string, pidFile: string): Promise<FileLock> {
  let lock: FileLock | null
  try {
    lock = lockFile(path)
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteFull) throw fullDiskProblem(folder)
    throw new StartupProblem(
      `Hone cannot lock its data folder ${folder} (${(error as Error).message}): make ${path} writable for this user, or set HONE_DATA_DIR to a folder on a local disk.`,
      { cause: error },
    )
  }
  if (lock === null) throw await inUse(folder, pidFile)
  return lock
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
