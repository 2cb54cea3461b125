// The order in which a running Hone is closed, and that nothing keeps it from going on to the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { OpenParts } from '#server/open-parts.ts'

test('the way in goes first, then together what tells the database something, then the rest in reverse', async () => {
  const parts = new OpenParts()
  const closed: string[] = []
  const gate = Promise.withResolvers<void>()
  parts.add(() => void closed.push('log'))
  parts.add(() => void closed.push('database'))
  parts.addTogether(() => gate.promise.then(() => void closed.push('slow task')))
  parts.addTogether(() => void closed.push('quick task'))
  parts.addWayIn(async () => {
    await turn()
    closed.push('way in')
  })
  const closing = parts.close()
  await turn()
  await turn()
  assert.deepEqual(closed, ['way in', 'quick task'])
  gate.resolve()
  await closing
  assert.deepEqual(closed, ['way in', 'quick task', 'slow task', 'database', 'log'])
})

test('each is closed once, however often it is asked for', async () => {
  const parts = new OpenParts()
  let closed = 0
  for (const add of ['add', 'addTogether', 'addWayIn'] as const) {
    parts[add](() => void (closed += 1))
  }
  await Promise.all([parts.close(), parts.close()])
  await parts.close()
  assert.equal(closed, 3)
})

test('one that cannot be closed is told of and keeps no other open', async () => {
  const parts = new OpenParts()
  const [told, closed]: [string[], string[]] = [[], []]
  parts.reportUnclosed = (error) => told.push((error as Error).message)
  parts.add(() => void closed.push('log'))
  parts.add(() => Promise.reject(new Error('database')))
  parts.addTogether(() => void closed.push('task'))
  parts.addTogether(() => Promise.reject(new Error('wallet')))
  parts.addWayIn(() => {
    throw new Error('server')
  })
  await parts.close()
  assert.deepEqual(told, ['server', 'wallet', 'database'])
  assert.deepEqual(closed, ['task', 'log'])
})

test('a task that does not end is waited for ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const parts = new OpenParts()
  let closed = false
  parts.add(() => void (closed = true))
  parts.addTogether(() => new Promise<void>(() => {}))
  const closing = parts.close()
  await turn()
  t.mock.timers.tick(9999)
  await turn()
  assert.equal(closed, false)
  t.mock.timers.tick(1)
  await closing
  assert.equal(closed, true)
})
