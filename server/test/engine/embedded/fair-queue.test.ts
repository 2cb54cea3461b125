// Who waits for the model, and whose turn it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from '#server/engine/embedded/serve/fair-queue.ts'

type Job = { id: number; workspaceId: string }
const anyone = (): boolean => true
const onlyOf =
  (wanted: string) =>
  (workspaceId: string): boolean =>
    workspaceId === wanted

/** One job for each letter, of the workspace with that name; its id is its place. */
function queueOf(letters: string, sizeMax = 100): FairQueue<Job> {
  const queue = new FairQueue<Job>(sizeMax)
  for (const [id, workspaceId] of [...letters].entries()) queue.push({ id, workspaceId })
  return queue
}

function drain(queue: FairQueue<Job>): number[] {
  const ids: number[] = []
  for (let job = queue.pop(anyone); job; job = queue.pop(anyone)) ids.push(job.id)
  assert.equal(queue.size, 0)
  return ids
}

test('workspaces take turns, and each is served in the order in which it asked', () => {
  assert.deepEqual(drain(queueOf('aaabbc')), [0, 3, 5, 1, 4, 2])
  assert.deepEqual(drain(queueOf('')), [])
})

test('one workspace fills half of the queue, rounded up, and all together fill it', () => {
  const queue = queueOf('aa', 5)
  assert.ok(queue.hasRoom('a'))
  queue.push({ id: 2, workspaceId: 'a' })
  assert.ok(!queue.hasRoom('a'))
  assert.ok(queue.hasRoom('b'))
  queue.push({ id: 3, workspaceId: 'b' })
  assert.ok(queue.hasRoom('b'))
  queue.push({ id: 4, workspaceId: 'b' })
  for (const workspaceId of ['a', 'b', 'c']) assert.ok(!queue.hasRoom(workspaceId))
  queue.pop(anyone)
  assert.ok(queue.hasRoom('a') && queue.hasRoom('c'))
})

test('only those whose turn it may be are taken', () => {
  const queue = queueOf('ab')
  assert.ok(queue.has(anyone))
  assert.ok(queue.has(onlyOf('b')))
  assert.ok(!queue.has(onlyOf('c')))
  assert.equal(queue.pop(onlyOf('c')), undefined)
  assert.equal(queue.size, 2)
  assert.equal(queue.pop(onlyOf('b'))?.id, 1)
  assert.ok(!queue.has(onlyOf('b')))
  assert.ok(queue.has(onlyOf('a')))
})

test('what is given up waits no longer, and nothing else goes with it', () => {
  const queue = queueOf('aabba')
  assert.deepEqual(queue.remove(3), { id: 3, workspaceId: 'b' })
  assert.equal(queue.size, 4)
  assert.equal(queue.remove(3), undefined)
  assert.equal(queue.remove(99), undefined)
  assert.equal(queue.size, 4)
  assert.equal(queue.remove(2)?.id, 2)
  assert.ok(!queue.has(onlyOf('b')), 'a workspace that waits for nothing is in line')
  assert.equal(queue.remove(1)?.id, 1)
  assert.deepEqual(drain(queue), [0, 4])
})

test('who gives up makes room', () => {
  const queue = queueOf('ab', 2)
  assert.ok(!queue.hasRoom('c'))
  queue.remove(0)
  assert.ok(queue.hasRoom('a') && queue.hasRoom('c'))
})
