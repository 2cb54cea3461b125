// The lock is SQLite's exclusive lock on an empty file, because that is the one lock of the operating system's own that Node
// can take: the kernel gives it back when the process ends in any way, kill -9 included, it also holds between containers
// that share the folder, and there is no stale file to judge.
import { DatabaseSync } from 'node:sqlite'

export type FileLock = { release(): void }

// A lock that nothing refers to would be closed by the garbage collector, and with it the file given away.
const held = new Set<DatabaseSync>()

// Two processes that ask at the same moment can each keep the other from the lock for some
// milliseconds, so both try again for a while; one of them always gets it.
const patienceMs = 500

const sqliteBusy = 5

/**
 * Null while somebody else has it. The file stays when it is released: removing it would let a third process lock a new one
 * while a second waits on the old. Never open it in any other way: closing it would drop a lock that this process holds.
 */
export function lockFile(path: string): FileLock | null {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: patienceMs })
    // Nothing is ever written, so there is no journal to keep either.
    lock.exec('PRAGMA journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null
    throw error
  }
  const taken = lock
  held.add(taken)
  return {
    release() {
      if (held.delete(taken)) taken.close()
    },
  }
}
