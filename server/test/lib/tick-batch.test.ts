import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { TickBatch } from '#server/lib/tick-batch.ts'

test('callers that arrive in one tick continue in the next, in order and together', async () => {
  const arrived = new TickBatch()
  const seen: string[] = []
  const walk = async (name: string): Promise<void> => {
    await arrived.nextBatch()
    seen.push(`${name} began`)
    await Promise.resolve()
    seen.push(`${name} went on`)
  }
  const walks = ['a', 'b', 'c'].map(walk)
  await Promise.resolve()
  assert.deepEqual(seen, [], 'nobody goes on alone')
  await Promise.all(walks)
  assert.deepEqual(seen, ['a began', 'b began', 'c began', 'a went on', 'b went on', 'c went on'])
})

test('at most 64 continue in one tick, and none is forgotten', async () => {
  const batch = new TickBatch()
  let gone = 0
  const all = Array.from({ length: 150 }, () => batch.nextBatch().then(() => gone++))
  const perTurn: number[] = []
  while (gone < 150) {
    const before = gone
    await nextTurn()
    perTurn.push(gone - before)
  }
  await Promise.all(all)
  assert.deepEqual(
    perTurn.filter((count) => count > 0),
    [64, 64, 22],
  )
})
