// How much memory this process can have: that of the computer, or of its container where that is less.
import { totalmem } from 'node:os'

export function memoryBytes(): number {
  return Math.min(process.constrainedMemory() || totalmem(), totalmem())
}
