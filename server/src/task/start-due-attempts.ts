// Starts the attempts that are due by their samples or by their schedule.
import type { AttemptStarter } from '../loop/attempt/attempt-starter.ts'
import type { Reconciler } from './driver.ts'

export const startDueAttempts = (starter: AttemptStarter): Reconciler => ({
  name: 'start-due-attempts',
  everyMs: 5000,
  async run(app) {
    if (app.config.loopOn) await starter.startDue(app)
  },
})
