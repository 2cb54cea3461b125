// Parts on their way to a reader: in order, to the end, and no faster than they are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { noUsage } from '#server/core/usage.ts'
import { creditMax, PartQueue } from '#server/engine/embedded/serve/part-queue.ts'

const text = (said: string): StreamPart => ({ type: 'text-delta', text: said })
const finish: StreamPart = { type: 'finish', reason: { kind: 'end' }, usage: noUsage }

function queueOf() {
  const credits: number[] = []
  const queue = new PartQueue((parts) => credits.push(parts))
  return { queue, credits, parts: queue.read() }
}

test('parts come in order, those that wait and those that are waited for, up to the end', async () => {
  const { queue, parts } = queueOf()
  queue.push([text('a'), text('b')])
  assert.deepEqual((await parts.next()).value, text('a'))
  assert.deepEqual((await parts.next()).value, text('b'))
  const waiting = parts.next()
  queue.push([text('c'), finish])
  assert.deepEqual((await waiting).value, text('c'))
  assert.deepEqual((await parts.next()).value, finish)
  assert.ok((await parts.next()).done)
})

test('a failure comes behind what was there before it, and never behind the end', async () => {
  const failing = queueOf()
  failing.queue.push([text('a')])
  failing.queue.fail(new Error('gone'))
  failing.queue.fail(new Error('gone again'))
  assert.deepEqual((await failing.parts.next()).value, text('a'))
  await assert.rejects(failing.parts.next(), /gone$/)
  const ended = queueOf()
  ended.queue.push([finish])
  ended.queue.fail(new Error('gone'))
  assert.deepEqual((await ended.parts.next()).value, finish)
  assert.ok((await ended.parts.next()).done)
})

test('a failure wakes a reader who waits', async () => {
  const { queue, parts } = queueOf()
  const waiting = parts.next()
  queue.fail(new Error('gone'))
  await assert.rejects(waiting, /gone/)
})

test('a reader who has gone is given nothing more, and no error', async () => {
  const { queue, parts } = queueOf()
  const waiting = parts.next()
  queue.push([text('a')])
  queue.stop()
  assert.ok((await waiting).done)
  const { queue: other, parts: none } = queueOf()
  const reading = none.next()
  other.stop()
  assert.ok((await reading).done)
})

test('credit goes back for what was read, in lots, and none after the end', async () => {
  const { queue, credits, parts } = queueOf()
  const lot = creditMax / 2
  queue.push(Array.from({ length: 3 * lot }, () => text('x')))
  // A part counts as read once the reader comes back for more.
  for (let read = 0; read <= 2 * lot; read++) {
    assert.deepEqual(credits, Array<number>(Math.floor(Math.max(0, read - 1) / lot)).fill(lot))
    await parts.next()
  }
  assert.deepEqual(credits, [lot, lot])
  queue.push([finish])
  for await (const _ of parts);
  assert.deepEqual(credits, [lot, lot])
})
