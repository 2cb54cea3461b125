// Time as a value that tests can move. Durations use `monotonicMs`, which no clock change can bend.
export interface Clock {
  now(): Date
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
}
