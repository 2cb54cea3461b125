// Selects rows on threads of their own: for attempts in order of arrival, and for dry runs one of a workspace at a time.
import { Refusal } from '../../core/refusal.ts'
import { TaskThread } from '../../lib/task-thread.ts'
import { WorkspaceTurns } from '../../lib/workspace-turns.ts'
import type { RowSelector, RowsSelection, SelectTask } from './rows-selection.ts'
import { StorageAway } from './storage-away.ts'
import type { SelectedOrAway, SelectingThreadData } from './selecting-thread.ts'

/** So that a large selection does not keep all others waiting. */
const threadsMax = 2
/** Room for a vocabulary of hundreds of thousands of tokens. A selection itself keeps a tenth of this. */
const heapMb = 1024

const dryRunLimits = {
  atOnce: 20,
  ofWorkspaceAtOnce: 1,
  waitingMax: 100,
  waitingOfWorkspaceMax: 10,
  waitMs: 3000,
}

export class ThreadedRowSelector implements RowSelector {
  readonly #threads: readonly TaskThread<SelectTask, SelectedOrAway>[]
  readonly #dryRuns = new WorkspaceTurns(
    dryRunLimits,
    () =>
      new Refusal(
        'RATE_LIMITED',
        'Another dry run of this workspace is under way, or too many of others are; wait a few seconds and try again.',
        { retryAfterSeconds: 5 },
      ),
  )

  constructor(data: SelectingThreadData) {
    this.#threads = Array.from(
      { length: threadsMax },
      () =>
        new TaskThread({
          thread: new URL('./selecting-thread.ts', import.meta.url),
          data,
          failed: 'rows could not be selected',
          heapMb,
        }),
    )
  }

  async select(task: SelectTask): Promise<RowsSelection> {
    const thread = this.#threads.reduce((a, b) => (b.tasks < a.tasks ? b : a))
    const selection = await thread.run(task)
    if (!selection) throw new Error('rows could not be selected: Hone is being stopped')
    if ('away' in selection) throw new StorageAway(selection.away)
    return selection
  }

  dryRun<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    return this.#dryRuns.run(workspaceId, work)
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }
}
