// What runs in the background, how often, and how its runs follow each other.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { App } from '#server/app.ts'
import { allTasks, type Background } from '#server/task/all-tasks.ts'
import { type Reconciler, TaskDriver } from '#server/task/driver.ts'

test('everything that must be looked after is, as often as it should', () => {
  const tasks = allTasks({} as Background).map(({ name, everyMs }): [string, number] => [
    name,
    everyMs / 1000,
  ])
  assert.deepEqual(Object.fromEntries(tasks), {
    'take-back-leases': 5,
    'forget-expired': 60,
    'probe-resting-routes': 1,
    'expire-samples': 60,
    'fold-usage': 60,
    'erase-objects': 15,
    'forget-test-words': 15,
    'release-left-funds': 60,
    'bill-storage': 60,
    'index-samples': 2,
    'close-unused-engines': 10,
    'remove-unnamed-weights': 3600,
    'walk-attempts': 1,
    'start-due-attempts': 5,
    'walk-deployments': 1,
    'stop-replaced-deployments': 10,
    'load-models-ahead': 30,
  })
})

type Rig = {
  driver: TaskDriver
  runs: number
  warnings: string[]
  /** Ends the run under way. */
  end: (error?: Error) => Promise<void>
  forward: (ms: number) => Promise<void>
}

function rig(t: TestContext): Rig {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let settle: (error?: Error) => void = () => {}
  const state: Rig = {
    driver: undefined as unknown as TaskDriver,
    runs: 0,
    warnings: [],
    end: async (error) => {
      settle(error)
      await turn()
    },
    forward: async (ms) => {
      t.mock.timers.tick(ms)
      await turn()
    },
  }
  const task: Reconciler = {
    name: 'some-task',
    everyMs: 1000,
    run: () => {
      state.runs += 1
      return new Promise((resolve, reject) => {
        settle = (error) => (error ? reject(error) : resolve())
      })
    },
  }
  const log = { warn: ({ task: name }: { task: string }) => state.warnings.push(name) }
  state.driver = new TaskDriver({ log } as unknown as App, [task])
  return state
}

test('a task comes first after its time, and again that long after it ended', async (t) => {
  const at = rig(t)
  await at.forward(890)
  assert.equal(at.runs, 0)
  await at.forward(210)
  assert.equal(at.runs, 1)
  await at.forward(10_000)
  assert.equal(at.runs, 1, 'never two at once')
  await at.end()
  await at.forward(890)
  assert.equal(at.runs, 1)
  await at.forward(210)
  assert.equal(at.runs, 2)
})

test('a task that fails is told of and comes again', async (t) => {
  const at = rig(t)
  await at.forward(1100)
  await at.end(new Error('no'))
  assert.deepEqual(at.warnings, ['some-task'])
  await at.forward(1100)
  assert.equal(at.runs, 2)
})

test('closing waits for the run under way, and nothing comes after it', async (t) => {
  const at = rig(t)
  await at.forward(1100)
  let closed = false
  const closing = at.driver.close().then(() => {
    closed = true
  })
  await turn()
  assert.equal(closed, false)
  await at.end()
  await closing
  await at.forward(10_000)
  assert.equal(at.runs, 1)
})

test('closing between two runs lets none begin', async (t) => {
  const at = rig(t)
  await at.driver.close()
  await at.forward(10_000)
  assert.equal(at.runs, 0)
})
