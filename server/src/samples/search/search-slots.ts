// How many searches run at once in this process: one of a workspace, a few of all. Another waits a little for its turn,
// because a person who types searches again before the last one is answered; only a crowd is turned away.
import { WorkspaceTurns } from '../../lib/workspace-turns.ts'
import { searchIsRunning } from './snapshot.ts'

const limits = {
  atOnce: 4,
  ofWorkspaceAtOnce: 1,
  waitingMax: 64,
  waitingOfWorkspaceMax: 4,
  waitMs: 2000,
}

export class SearchSlots extends WorkspaceTurns {
  constructor() {
    super(limits, searchIsRunning)
  }
}
