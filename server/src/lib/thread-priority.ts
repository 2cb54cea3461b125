// Calls that are being answered come first when there is more to do than there are processors.
import { getPriority, setPriority } from 'node:os'

const niceness = 5

/**
 * For a thread that nobody waits for, called in it. Only Linux gives a thread a priority of its own; elsewhere this would
 * slow the whole process down.
 */
export function giveWayToCalls(): void {
  if (process.platform === 'linux') setPriority(0, Math.max(getPriority(0), niceness))
}
