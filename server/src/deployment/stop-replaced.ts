// Stops what served under a name until another took its place, unless a deployment serves the same again.
import type { App } from '../app.ts'
import { isServed } from './deployment-store.ts'
import { forgetReplaced, listReplacedDue } from './replaced-store.ts'

export async function stopReplaced({ storage, clock, serving }: App): Promise<void> {
  for (const target of await listReplacedDue(storage.db, clock.now())) {
    if (!(await isServed(storage.db, target))) await serving.machines.stop(target)
    await forgetReplaced(storage.db, target.id)
  }
}
