// What a server says of when to come back, in either form that HTTP has for it.
const secondsMin = 1
const secondsMax = 60

/** Within what clients wait for; undefined where nothing is said that can be understood. */
export function retryAfterSeconds(value: unknown, nowMs: number): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const seconds = Number(value)
  const told = Number.isNaN(seconds) ? (Date.parse(value) - nowMs) / 1000 : seconds
  if (Number.isNaN(told)) return undefined
  return Math.min(secondsMax, Math.max(secondsMin, Math.ceil(told)))
}
