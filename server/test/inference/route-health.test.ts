// How long a route rests: longer each time, up to a bound, so that one that was away for a night is found again soon after it is back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '#server/core/refusal.ts'
import { EngineError } from '#server/engine/engine.ts'
import { CallFailures } from '#server/inference/call-failures.ts'
import { RouteHealth } from '#server/inference/route-health.ts'

const failuresToRest = 3

/** A route that has just begun to rest at this time. */
function resting(nowMs: number): RouteHealth {
  const health = new RouteHealth()
  for (let i = 0; i < failuresToRest; i++) {
    assert.equal(health.admit('r', nowMs), 'fit')
    health.failed('r', 'broken', nowMs)
  }
  return health
}

test('each call that tries a route in vain doubles its rest, up to a minute', () => {
  let nowMs = 5000
  const health = resting(nowMs)
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
    nowMs += seconds * 1000
    assert.equal(health.rests('r', nowMs - 1), true, `${seconds} s are not over`)
    assert.equal(health.admit('r', nowMs), 'on-trial', `${seconds} s are over`)
    assert.equal(health.admit('r', nowMs), 'rests', 'one call at a time')
    health.failed('r', 'broken', nowMs)
  }
})

test('each look in vain doubles the rest, up to a quarter of a minute', () => {
  let nowMs = 5000
  const health = resting(nowMs)
  for (const seconds of [1, 2, 4, 8, 15, 15, 15]) {
    nowMs += seconds * 1000
    assert.deepEqual(health.takeResting(nowMs - 1), [], `${seconds} s are not over`)
    assert.deepEqual(health.takeResting(nowMs), ['r'], `${seconds} s are over`)
    health.probed('r', false, nowMs)
  }
  // Where nobody looks any more, calls have to, and they do so seldom.
  nowMs += 15_000
  assert.equal(health.admit('r', nowMs), 'on-trial')
  health.failed('r', 'broken', nowMs)
  assert.equal(health.rests('r', nowMs + 59_999), true)
  assert.equal(health.rests('r', nowMs + 60_000), false)
})

test('a look that tells nothing leaves it to a call, at the time it would have been', () => {
  const health = resting(0)
  assert.deepEqual(health.takeResting(1000), ['r'])
  health.probed('r', null, 500)
  assert.equal(health.admit('r', 999), 'rests')
  assert.equal(health.admit('r', 1000), 'on-trial')
})

test('one that answers again starts anew, and one that is only there has one failure left', () => {
  for (const [back, failuresLeft] of [
    [(health: RouteHealth) => health.succeeded('r'), 3],
    [(health: RouteHealth) => health.probed('r', true, 1000), 1],
    [(health: RouteHealth) => health.begins('r'), 1],
  ] as const) {
    const health = resting(0)
    back(health)
    for (let left = failuresLeft; left > 0; left--) {
      assert.equal(health.admit('r', 1000), 'fit')
      health.failed('r', 'broken', 1000)
    }
    assert.equal(health.admit('r', 1000), 'rests')
  }
})

test("a caller's mistake and a route that is not set up are no failures", () => {
  const health = new RouteHealth()
  for (let i = 0; i < 5; i++) {
    health.failed('r', 'refused', 0)
    health.failed('r', 'not-set-up', 0)
  }
  assert.equal(health.admit('r', 0), 'fit')
  assert.deepEqual(health.takeResting(3_600_000), [])
})

test('a failure that was the request’s own leaves failures and rest as they were before it', () => {
  const health = new RouteHealth()
  health.excused('r')
  for (let i = 0; i < 9; i++) {
    health.failed('r', 'broken', 0)
    health.excused('r')
  }
  assert.equal(health.admit('r', 0), 'fit')
  for (let i = 0; i < failuresToRest - 1; i++) health.failed('r', 'broken', 0)
  for (let i = 0; i < 9; i++) {
    health.failed('r', 'broken', 0)
    assert.equal(health.rests('r', 0), true)
    health.excused('r')
    assert.equal(health.admit('r', 0), 'fit')
  }
  health.failed('r', 'broken', 0)
  assert.equal(health.rests('r', 999), true)
  assert.equal(health.rests('r', 1000), false)
})

test('what is left of the time a server said to wait, in whole seconds', () => {
  const health = new RouteHealth()
  assert.equal(health.saidToWaitSeconds('r', 0), null)
  health.failed('r', 'broken', 500, { retryAfterSeconds: 30 })
  assert.equal(health.saidToWaitSeconds('r', 500), 30)
  assert.equal(health.saidToWaitSeconds('r', 1499), 30)
  assert.equal(health.saidToWaitSeconds('r', 1500), 29)
  assert.equal(health.saidToWaitSeconds('r', 30_499), 1)
  assert.equal(health.saidToWaitSeconds('r', 30_500), null)
  health.failed('r', 'broken', 600)
  assert.equal(health.saidToWaitSeconds('r', 600), null, 'it last said nothing')
})

test('a route that rests for one workspace says why it does, and not what happened to others', () => {
  const health = new RouteHealth()
  const ports = { health, monotonicMs: () => 0 }
  const over = (workspaceId: string): string => {
    const failures = new CallFailures(ports, { workspaceId, alone: true })
    failures.rests('r')
    return failures.over('some/model').message
  }
  assert.equal(over('one'), 'No route to some/model is healthy.')
  health.failed('r', 'unreachable', 0, { why: 'It could not be reached.' })
  for (let i = 0; i < failuresToRest; i++) {
    health.ofOne.failed('r for one', 'broken', 0, { why: 'It answered with status 500.' })
  }
  assert.equal(over('one'), 'No route to some/model is healthy: It answered with status 500.')
  assert.equal(over('other'), 'No route to some/model is healthy: It could not be reached.')
})

/** What a client is told for one call to a model with this one route. */
function refusedFor(health: RouteHealth, nowMs: number, workspaceId = 'one'): number | undefined {
  const failures = new CallFailures(
    { health, monotonicMs: () => nowMs },
    { workspaceId, alone: true },
  )
  failures.rests('r')
  return (failures.over('some/model') as Refusal).detail.retryAfterSeconds
}

test('a client is told to come back when the rest is over, or later where the server said so', () => {
  const health = resting(0)
  for (let i = 0; i < 6; i++) health.failed('r', 'broken', 0)
  assert.equal(refusedFor(health, 0), 60)
  assert.equal(refusedFor(health, 999), 60)
  assert.equal(refusedFor(health, 1000), 59)
  assert.equal(refusedFor(health, 59_999), 1)
  health.failed('r', 'overloaded', 0, { retryAfterSeconds: 2 })
  assert.equal(refusedFor(health, 0), 60)
  const briefly = resting(0)
  briefly.failed('r', 'overloaded', 0, { retryAfterSeconds: 30 })
  assert.equal(refusedFor(briefly, 0), 30)
})

test('the call that makes a route rest is told how long it rests', () => {
  const health = new RouteHealth()
  const broken = new EngineError('broken', 'It answered with status 502.')
  const told = (nowMs: number): number | undefined => {
    const failures = new CallFailures(
      { health, monotonicMs: () => nowMs },
      { workspaceId: 'one', alone: true },
    )
    failures.failed('r', broken, false)
    return (failures.over('some/model') as Refusal).detail.retryAfterSeconds
  }
  assert.deepEqual(
    [told(0), told(0), told(0), told(1000), told(3000), told(7000)],
    [5, 5, 1, 2, 4, 8],
  )
})

test('answers that break off make the only route rest for their own workspace alone', () => {
  const health = new RouteHealth()
  const ports = { health, monotonicMs: () => 0 }
  const breakOff = (alone: boolean): void => {
    const failures = new CallFailures(ports, { workspaceId: 'one', alone })
    failures.failed('r', new EngineError('broken', 'It stopped.'), true)
  }
  for (let i = 0; i < 9; i++) breakOff(true)
  const restsFor = (workspaceId: string): boolean =>
    health.rests('r', 0) || new CallFailures(ports, { workspaceId, alone: true }).restsForOwn('r')
  assert.deepEqual([restsFor('one'), restsFor('other')], [true, false])
  assert.equal(refusedFor(health, 0), 60, 'its own calls are told how long')
  // Where there are others to ask, they are asked.
  for (let i = 0; i < failuresToRest; i++) breakOff(false)
  assert.equal(restsFor('other'), true)
})
