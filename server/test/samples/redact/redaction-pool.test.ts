// The pool: a thread of its own, a deadline after which nothing is stored, and survival of what breaks the thread.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  RedactionFailed,
  RedactionPool,
  RedactionTimeout,
} from '#server/samples/redact/redaction-pool.ts'

const filler = 'nothing to see here, '.repeat(1000)
const tooMuch = 'a1@b2.cd 4111 1111 '.repeat(500_000)

test('small and large values are redacted alike', async (t) => {
  const pool = new RedactionPool()
  t.after(() => pool.close())
  assert.deepEqual(await pool.redact({ a: 'a@b.co' }), { a: '[redacted:email]' })
  const value = JSON.parse('{"__proto__":"a@b.co","toString":"a@b.co"}') as Record<string, string>
  value.filler = filler
  const redacted = await pool.redact(value)
  assert.equal(
    JSON.stringify(redacted),
    JSON.stringify(value).replaceAll('a@b.co', '[redacted:email]'),
  )
})

test('a value that takes too long is given up, and the next is redacted by a new thread', async (t) => {
  const pool = new RedactionPool()
  t.after(() => pool.close())
  const late = pool.redact(tooMuch, { deadlineMs: 20 })
  const next = pool.redact(`${filler}a@b.co`)
  await assert.rejects(late, RedactionTimeout)
  assert.equal(await next, `${filler}[redacted:email]`)
})

test('a value that waits past its deadline is given up too', async (t) => {
  const pool = new RedactionPool()
  t.after(() => pool.close())
  const first = pool.redact(tooMuch, { deadlineMs: 60_000 })
  await assert.rejects(pool.redact(filler, { deadlineMs: 1 }), RedactionTimeout)
  assert.match(await first, /^\[redacted:email\]/)
})

test('a thread that runs out of memory is replaced', async (t) => {
  const pool = new RedactionPool({ memoryMb: 16 })
  t.after(() => pool.close())
  const many = Array.from({ length: 400_000 }, (_, i) => `text ${i}`)
  await assert.rejects(pool.redact(many, { deadlineMs: 60_000 }), RedactionFailed)
  assert.equal(await pool.redact(`${filler}a@b.co`), `${filler}[redacted:email]`)
})

test('what no thread can be handed is refused, and the queue is bounded', async (t) => {
  const pool = new RedactionPool({ queueMax: 1 })
  t.after(() => pool.close())
  await assert.rejects(pool.redact({ filler, call: () => 1 }), RedactionFailed)
  const running = pool.redact(filler)
  const waiting = pool.redact(filler)
  await assert.rejects(pool.redact(filler), RedactionFailed)
  assert.deepEqual(await Promise.all([running, waiting]), [filler, filler])
})

test('closing gives up what is not done', async () => {
  const pool = new RedactionPool()
  const running = pool.redact(tooMuch)
  const waiting = pool.redact(filler)
  await Promise.all([
    assert.rejects(running, RedactionFailed),
    assert.rejects(waiting, RedactionFailed),
    pool.close(),
  ])
  await assert.rejects(pool.redact('a'), RedactionFailed)
})
