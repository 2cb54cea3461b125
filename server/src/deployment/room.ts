// How many deployments of a workspace may run at once.
import type { Transaction } from 'kysely'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import type { Database } from '../storage/schema.ts'
import { countRunning, lockRoom, type Writer } from './deployment-store.ts'

export async function hasRoom(
  { catalog }: Pick<App, 'catalog'>,
  db: Writer,
  workspaceId: string,
): Promise<boolean> {
  return (await countRunning(db, workspaceId)) < catalog.limits.running_deployments
}

export async function requireRoom(
  app: Pick<App, 'catalog'>,
  tx: Transaction<Database>,
  workspaceId: string,
): Promise<void> {
  await lockRoom(tx, workspaceId)
  if (await hasRoom(app, tx, workspaceId)) return
  const most = app.catalog.limits.running_deployments
  throw new Refusal(
    'CONFLICT',
    `The workspace runs ${most} deployments, which is its limit; stop or delete one first.`,
    { isFinal: true },
  )
}
