// The main thread's end of the thread that indexes samples.
import { TaskThread } from '../../lib/task-thread.ts'
import type { IndexThreadData } from './index-thread.ts'

export class SampleIndexer {
  readonly #thread: TaskThread<'index', null>

  constructor(databaseUrl: string) {
    this.#thread = new TaskThread({
      thread: new URL('./index-thread.ts', import.meta.url),
      data: { databaseUrl } satisfies IndexThreadData,
      failed: 'samples could not be indexed',
    })
  }

  /** Resolves when nothing is left to be indexed, or this was closed. */
  async run(): Promise<void> {
    await this.#thread.run('index')
  }

  /** An index that is being written is given up; the next run writes it again. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}
