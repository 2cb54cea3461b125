// How many statements run at once in this process that may read all that a workspace has: its usage, its counts, its lists far
// back. Each keeps a connection for as long as it takes, and most connections are for calls, whoever else asks for what.
import { Refusal } from './core/refusal.ts'
import { WorkspaceTurns } from './lib/workspace-turns.ts'

const limits = {
  atOnce: 6,
  ofWorkspaceAtOnce: 2,
  waitingMax: 1000,
  waitingOfWorkspaceMax: 200,
  waitMs: 3000,
}

export function longReadTurns(): WorkspaceTurns {
  return new WorkspaceTurns(
    limits,
    () =>
      new Refusal(
        'RATE_LIMITED',
        'Too many lists and statistics are being read at once; wait a second and try again.',
        { retryAfterSeconds: 1 },
      ),
  )
}
