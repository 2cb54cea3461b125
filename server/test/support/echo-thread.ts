// A thread for tests of task-thread.ts: says back what it is told to.
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { serveTasks } from '#server/lib/serve-tasks.ts'

type Task = { say: string; ms?: number } | { throw: string } | 'exit'

serveTasks<Task, string>(parentPort!, {
  async run(task, signal) {
    if (task === 'exit') process.exit(1)
    if ('throw' in task) throw new Error(task.throw)
    await delay(task.ms ?? 0, undefined, { signal }).catch(() => {})
    return task.say
  },
  close() {},
})
