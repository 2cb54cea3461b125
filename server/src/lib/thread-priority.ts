// Calls that are being answered come first when there is more to do than there are processors.
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * For a thread that nobody waits for, called in it. Only Linux gives a thread a priority of its own; elsewhere this would
 * slow the whole process down. The higher the number, the further it steps back: at 5 a thread gets about a quarter of what a call
 * gets, at 10 a tenth.
 */
export function giveWayToCalls(niceness: 5 | 10): void {
  if (process.platform === 'linux') setPriority(0, Math.max(getPriority(0), niceness))
}

/** For a whole process, called in it. On Linux a priority is that of one thread, and threads that are started later take over their starter's. */
export function lowerProcessPriority(niceness: number): void {
  setPriority(niceness)
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      setPriority(Number(thread), niceness)
    } catch {
      // The thread has ended meanwhile.
    }
  }
}
