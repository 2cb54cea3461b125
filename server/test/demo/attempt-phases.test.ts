// What the demo makes of an attempt's moves and progress.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goingOn, phaseTimes } from '#server/demo/attempt-phases.ts'

const at = (seconds: number): string => new Date(seconds * 1000).toISOString()

test('a phase lasts until the next move, and one that came twice the sum of both', () => {
  const moves = [
    { to: 'preparing', why: '', at: at(0) },
    { to: 'training', why: '', at: at(2) },
    { to: 'waiting_for_gpu', why: '', at: at(10) },
    { to: 'training', why: '', at: at(11.5) },
    { to: 'ended', why: '', at: at(20) },
  ] as const
  assert.deepEqual(phaseTimes([...moves]), [
    { phase: 'preparing', seconds: 2 },
    { phase: 'training', seconds: 16.5 },
    { phase: 'waiting_for_gpu', seconds: 1.5 },
  ])
})

test('progress says what is known of it', () => {
  const training = { step: 30, steps: 120, loss: 0.5, seconds_left: 61.4 }
  assert.deepEqual(goingOn({ phase: 'training', progress: training }), {
    what: 'training',
    share: 0.25,
    detail: 'step 30 of 120, loss 0.500, 1 min 1 s left',
  })
  const scoring = { step: 3, steps: 400, loss: null, seconds_left: null }
  assert.equal(goingOn({ phase: 'scoring', progress: scoring }).detail, '3 of 400')
  assert.equal(goingOn({ phase: 'preparing', progress: null }).share, null)
})
