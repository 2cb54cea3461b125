import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { Step } from '#server/lib/step.ts'

test('who comes to a step in one turn goes on in the next, in order, step by step together', async () => {
  const first = new Step()
  const seen: string[] = []
  const walk = async (name: string): Promise<void> => {
    await first.together()
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

test('at most 64 go on in one turn, and nobody is forgotten', async () => {
  const step = new Step()
  let gone = 0
  const all = Array.from({ length: 150 }, () => step.together().then(() => gone++))
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
