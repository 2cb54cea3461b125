// Keeps what was trained under its content hash. The store spares what nothing names yet for an hour.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import type { Done } from './effects.ts'

export async function keepAdapter(app: App, { id }: AttemptRow): Promise<Done | void> {
  const status = await app.learning.compute.status(id)
  if (status.state !== 'ended' || status.outcome.state !== 'succeeded') return
  return {
    changes: { adapter: await app.learning.modelStore.keepAdapter(status.outcome.adapterPath) },
  }
}
