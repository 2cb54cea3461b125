// What the model store changes on the disk. A process may be killed before and after each of them.
import { effectRunner } from '../lib/crash-point.ts'

export const modelStoreEffects = [
  'copy-files',
  'name-folder',
  'unname-folder',
  'remove-folder',
] as const

export const effect = effectRunner(modelStoreEffects)
