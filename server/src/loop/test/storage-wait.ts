// How long an attempt waits for samples in the workspace's own storage: up to an hour after the first one could not be read. Then a test
// leaves out those that still cannot be read (spec 2, held-back test, rule 5), and a selection ends. Pure.

/** Since when samples cannot be read, and how many could not when they were last tried. `since` counts towards the hour. */
export type Unreadable = { since: string; tried_at: string; count: number }

const hourMs = 3_600_000
const minuteMs = 60_000

export function isStorageAwaited(unreadable: Unreadable | undefined, now: Date): boolean {
  return !unreadable || now.getTime() - Date.parse(unreadable.since) < hourMs
}

export function nextStorageTry({ tried_at }: Unreadable): Date {
  return new Date(Date.parse(tried_at) + minuteMs)
}

/** After one more try that failed. */
export function stillUnreadable(
  unreadable: Unreadable | undefined,
  count: number,
  now: Date,
): Unreadable {
  const at = now.toISOString()
  return { since: unreadable?.since ?? at, tried_at: at, count }
}
