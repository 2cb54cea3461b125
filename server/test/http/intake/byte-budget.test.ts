// The budget of bytes alone: what one owner and all together may hold, and that nothing is held or given back twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBudget } from '#server/http/intake/byte-budget.ts'

test('an owner who gives back one body still holds the others', () => {
  const budget = new ByteBudget(100, 10)
  const [first, second] = [budget.share('one'), budget.share('one')]
  assert.ok(first.growTo(4))
  assert.ok(second.growTo(6))
  first.giveBack()
  assert.equal(budget.taken, 6)
  assert.equal(budget.share('one').growTo(5), false)
  assert.equal(budget.share('one').growTo(4), true)
})

test('a body that grows takes what it has grown by, to the last byte', () => {
  const budget = new ByteBudget(10, 10)
  const share = budget.share('one')
  for (const bytes of [3, 7, 7, 5, 10]) assert.ok(share.growTo(bytes))
  assert.deepEqual([share.bytes, budget.taken], [10, 10])
  assert.equal(share.growTo(11), false)
  assert.equal(budget.share('two').growTo(1), false)
  assert.deepEqual([share.bytes, budget.taken], [10, 10])
})

test('a body that was given back takes nothing any more, however much of it still comes', () => {
  const budget = new ByteBudget(10, 10)
  const share = budget.share('one')
  assert.ok(share.growTo(5))
  share.giveBack()
  share.giveBack()
  assert.equal(budget.taken, 0)
  assert.ok(share.growTo(50), 'it is over, and not refused')
  assert.deepEqual([share.bytes, budget.taken], [0, 0])
  assert.ok(budget.share('two').growTo(10))
})
