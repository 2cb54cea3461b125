// Starts the attempts that are due by their samples or by their schedule.
import type { Reconciler } from './driver.ts'

export const startDueAttempts: Reconciler = {
  name: 'start-due-attempts',
  everyMs: 5000,
  async run(app) {
    if (app.config.loopOn) await app.attemptStarter.startDue(app)
  },
}
