// A thread that does one task after another, seen from the thread that hands them out.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { TaskThread } from '#server/lib/task-thread.ts'

type Task = { say: string; ms?: number } | { throw: string } | 'exit'

function echoes(t: TestContext): TaskThread<Task, string> {
  const thread = new TaskThread<Task, string>({
    thread: new URL('../support/echo-thread.ts', import.meta.url),
    data: null,
    failed: 'nothing was said',
  })
  t.after(() => thread.close())
  return thread
}

test('tasks are done one after another, in order', async (t) => {
  const thread = echoes(t)
  const said: (string | null)[] = []
  const say = async (task: Task): Promise<void> => void said.push(await thread.run(task))
  const all = [say({ say: 'first', ms: 30 }), say({ say: 'second' })]
  assert.equal(thread.tasks, 2)
  await Promise.all(all)
  assert.deepEqual(said, ['first', 'second'])
  assert.equal(thread.tasks, 0)
})

test('a task that fails tells why, and the next one is done', async (t) => {
  const thread = echoes(t)
  await assert.rejects(thread.run({ throw: 'no words' }), { message: 'nothing was said: no words' })
  assert.equal(await thread.run({ say: 'again' }), 'again')
})

test('after a thread that ended, the next task has another one', async (t) => {
  const thread = echoes(t)
  await assert.rejects(thread.run('exit'), { message: 'nothing was said: the thread ended' })
  assert.equal(await thread.run({ say: 'again' }), 'again')
})

test('what is under way when it is closed, or comes later, is null', async (t) => {
  const thread = echoes(t)
  const running = thread.run({ say: 'late', ms: 60_000 })
  const waiting = thread.run({ say: 'later' })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await thread.close()
  assert.deepEqual(
    [await running, await waiting, await thread.run({ say: 'no' })],
    [null, null, null],
  )
})
