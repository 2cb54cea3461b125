// Waits for what comes about by itself. A wait that has an end fails its own test, which then tidies up behind itself; one
// without keeps the process of the file alive long after the runner has given the test up.
import { setTimeout as delay } from 'node:timers/promises'

export async function until(
  holds: () => Promise<boolean> | boolean,
  limitMs = 120_000,
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not so after ${limitMs} ms: ${holds.toString()}`)
    await delay(5)
  }
}
