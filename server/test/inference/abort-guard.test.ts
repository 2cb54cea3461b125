// Both sides of what a workspace may hang up on, and of the time for which that is counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AbortGuard } from '#server/inference/abort-guard.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Storage } from '#server/storage/open-storage.ts'
import { ManualClock } from '#test/support/manual-clock.ts'

const windowMs = 10 * 60_000

/** Alone on its database, which it therefore asks nothing. */
function guardAt(start: string): { guard: AbortGuard; clock: ManualClock } {
  const clock = new ManualClock(start)
  const guard = new AbortGuard({} as Storage, clock, { processId: 'p', alone: true })
  guard.close()
  return { guard, clock }
}

function counted(guard: AbortGuard, calls: { aborted?: number; completed?: number }): void {
  for (let i = calls.aborted ?? 0; i > 0; i--) guard.aborted('w', 1)
  for (let i = calls.completed ?? 0; i > 0; i--) guard.completed('w', 1)
}

const isRefused = (guard: AbortGuard): boolean => {
  try {
    guard.check('w')
    return false
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return true
  }
}

for (const [aborted, completed, refused] of [
  [0, 0, false],
  [100, 0, false],
  [101, 0, true],
  [101, 100, true],
  [101, 101, false],
  [102, 101, true],
  [1000, 999, true],
  [1000, 1000, false],
] as const) {
  test(`S21: with ${aborted} calls hung up on and ${completed} read, the next is ${refused ? 'refused' : 'taken'}`, () => {
    const { guard } = guardAt('2026-03-01T12:00:00Z')
    counted(guard, { aborted, completed })
    assert.equal(isRefused(guard), refused)
  })
}

for (const [unpaid, paid, refused] of [
  [1, 0, true],
  [10, 9, true],
  [10, 10, false],
  [0, 0, false],
] as const) {
  test(`S21: many calls worth ${101 * paid} ${refused ? 'do not make' : 'make'} up for those worth ${101 * unpaid}`, () => {
    const { guard } = guardAt('2026-03-01T12:00:00Z')
    for (let i = 0; i < 101; i++) guard.aborted('w', unpaid)
    for (let i = 0; i < 101; i++) guard.completed('w', paid)
    assert.equal(isRefused(guard), refused)
  })
}

test('S21: what was counted holds to the end of its ten minutes, also after others are forgotten', async () => {
  const { guard, clock } = guardAt('2026-03-01T12:03:00Z')
  counted(guard, { aborted: 101 })
  await guard.exchange()
  clock.forward(7 * 60_000 - 1)
  await guard.exchange()
  assert.equal(isRefused(guard), true)
  clock.forward(1)
  assert.equal(isRefused(guard), false)
  counted(guard, { aborted: 101 })
  clock.forward(windowMs - 1)
  assert.equal(isRefused(guard), true)
})

test('S21: processes tell each other by themselves, and only what is new', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const told: unknown[] = []
  const query = (_name: string, _text: string, values: unknown[]): Promise<unknown[]> => {
    told.push(values.slice(2))
    return Promise.resolve([
      { workspace_id: 'w', aborted: '60', completed: '1', unpaid: 60, paid: 1 },
    ])
  }
  const storage = { pool: { query } } as unknown as Storage
  const clock = new ManualClock()
  const guard = new AbortGuard(storage, clock, { processId: 'p', alone: false })
  t.mock.timers.tick(5_000)
  await guard.exchange()
  assert.deepEqual(told, [], 'nobody has called')
  counted(guard, { aborted: 41, completed: 2 })
  assert.equal(isRefused(guard), false)
  t.mock.timers.tick(5_000)
  assert.deepEqual(told, [[['w'], [41], [2], [41], [2], ['w']]])
  while (!isRefused(guard)) await nextTurn()
  t.mock.timers.tick(5_000)
  assert.deepEqual(told[1], [[], [], [], [], [], ['w']])
  clock.forward(windowMs)
  t.mock.timers.tick(5_000)
  assert.equal(told.length, 2, 'what is over is not asked about')
  counted(guard, { aborted: 1 })
  guard.close()
  t.mock.timers.tick(60_000)
  assert.equal(told.length, 2)
})
