// The thread's end of task-thread.ts: takes tasks and answers each with its result, or why it failed.
import type { MessagePort } from 'node:worker_threads'
import type { FromTaskThread, ToTaskThread } from './task-thread.ts'

export type TaskServer<Task, Result> = {
  /** The signal is aborted when the thread has to stop; what is answered then is not sent. */
  run(task: Task, signal: AbortSignal): Promise<Result>
  /** Lets go of what keeps the thread alive. */
  close(): Promise<void> | void
}

export function serveTasks<Task, Result>(
  port: MessagePort,
  server: TaskServer<Task, Result>,
): void {
  const stopping = new AbortController()
  const answer = async (task: Task): Promise<void> => {
    let message: FromTaskThread<Result>
    try {
      message = { result: await server.run(task, stopping.signal) }
    } catch (error) {
      message = { failure: error instanceof Error ? error.message : String(error) }
    }
    if (!stopping.signal.aborted) port.postMessage(message)
  }
  port.on('message', (message: ToTaskThread<Task>) => {
    if (message !== 'stop') return void answer(message.task)
    stopping.abort()
    void server.close()
    port.close()
  })
}
