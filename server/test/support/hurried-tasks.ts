// Loaded into a child Hone before its own code: background tasks that come every minute come twice a second, so that a test
// of what they do need not wait. Nothing else is hurried.
const hurry = 120
const { setTimeout: plain } = globalThis

function isTask(waitMs: number | undefined): boolean {
  return (
    waitMs !== undefined && waitMs > 10_000 && /\/task\/driver\.ts/.test(new Error().stack ?? '')
  )
}

const hurried = (run: () => void, waitMs?: number, ...given: []) =>
  plain(run, isTask(waitMs) ? (waitMs ?? 0) / hurry : waitMs, ...given)

globalThis.setTimeout = Object.defineProperties(
  hurried,
  Object.getOwnPropertyDescriptors(plain),
) as typeof plain
