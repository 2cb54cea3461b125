// Moves attempts on whose time has come. Training, selecting and paying happen behind this; it only begins them.
import type { Walker } from '../storage/row-walker.ts'
import type { Reconciler } from './driver.ts'

export const walkAttempts = (walker: Walker): Reconciler => ({
  name: 'walk-attempts',
  everyMs: 1000,
  wakeOn: 'attempt_due',
  run: (app) => walker.walkDue(app),
})
