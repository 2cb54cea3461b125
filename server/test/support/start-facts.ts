// A pipeline of which nothing stands in the way.
import type { StartFacts } from '#server/loop/attempt/obstacles.ts'

export const unhindered: StartFacts = {
  machine: 'there',
  enabled: true,
  pausedForFunds: false,
  running: false,
  needsSave: null,
  complete: false,
  limitedUntil: null,
  cappedUntil: null,
  scoringKey: null,
  stoppedLive: null,
  samples: null,
  unaffordable: null,
}
