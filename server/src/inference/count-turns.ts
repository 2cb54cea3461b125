// How many prompts are counted at once in this process. A count is free and takes no request of the minute, so that nothing else
// bounds what one workspace has the model servers do.
import { Refusal } from '../core/refusal.ts'
import { WorkspaceTurns } from '../lib/workspace-turns.ts'

const limits = {
  atOnce: 64,
  ofWorkspaceAtOnce: 16,
  waitingMax: 2000,
  waitingOfWorkspaceMax: 500,
  waitMs: 10_000,
}

export function countTurns(): WorkspaceTurns {
  return new WorkspaceTurns(
    limits,
    () =>
      new Refusal(
        'rate_limit_exceeded',
        'Too many prompts are being counted at once; wait a second and try again.',
        { retryAfterSeconds: 1 },
      ),
  )
}
