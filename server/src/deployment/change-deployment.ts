// Starts, stops and deletes a deployment. What follows (its machine, its money) is done behind the answer, by the row.
import type { Transaction } from 'kysely'
import type { Deployment } from '#contract/deployment.ts'
import { actorOf } from '../account/actor.ts'
import { recordAudit } from '../account/audit-store.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { recordNotFound, requireRecordId } from '../core/record-refusals.ts'
import { Refusal } from '../core/refusal.ts'
import type { Database } from '../storage/schema.ts'
import { describeDeployment } from './describe-deployment.ts'
import {
  changeDeployment,
  type DeploymentChange,
  type DeploymentRow,
  lockDeployment,
} from './deployment-store.ts'
import { noMachine, servingPriceOf } from './machines.ts'
import { requireRoom } from './room.ts'
import { isForTest } from './serve-for-test.ts'

export async function startDeployment(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ deployment: Deployment }> {
  return change(app, caller, id, 'deployment.started', async (tx, row, now) => {
    if (row.status === 'serving' || row.status === 'starting') return null
    if (servingPriceOf(app.catalog, row) === null) {
      throw noMachine(app.catalog, `No machine in the catalog serves ${row.model} at the moment.`)
    }
    // One that is only paused has its place.
    if (row.status === 'stopped' || row.status === 'failed') {
      await requireRoom(app, tx, caller.workspace.id)
    }
    // What it still owes is charged up to when it ended.
    const ended_at = row.paid_from === null ? now : row.ended_at
    return { status: 'starting', detail: null, tries: 0, ended_at, wake_at: now }
  })
}

export async function stopDeployment(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ deployment: Deployment }> {
  return change(app, caller, id, 'deployment.stopped', async (_tx, row, now) =>
    row.status === 'stopped' ? null : ending(row, 'stopped', now),
  )
}

export async function deleteDeployment(app: App, caller: Caller, id: string): Promise<void> {
  await change(app, caller, id, 'deployment.deleted', async (_tx, row, now) =>
    ending(row, 'deleted', now),
  )
}

function ending(row: DeploymentRow, status: 'stopped' | 'deleted', now: Date): DeploymentChange {
  const ended_at = row.status === 'serving' ? now : (row.ended_at ?? now)
  return { status, detail: null, checked_at: null, ended_at, wake_at: now }
}

/** Null for a change that is there already. */
type Decide = (
  tx: Transaction<Database>,
  row: DeploymentRow,
  now: Date,
) => Promise<DeploymentChange | null>

async function change(
  app: App,
  caller: Caller,
  given: string,
  action: string,
  decide: Decide,
): Promise<{ deployment: Deployment }> {
  const id = requireRecordId('deployment', given)
  const workspaceId = caller.workspace.id
  const row = await app.storage.db.transaction().execute(async (tx) => {
    const before = await lockDeployment(tx, workspaceId, id)
    if (!before) throw recordNotFound('deployment')
    if (isForTest(before)) throw inTest(before)
    const now = app.clock.now()
    const wanted = await decide(tx, before, now)
    if (!wanted) return before
    await changeDeployment(tx, before, wanted)
    const event = { action, targetId: id, detail: { name: before.name } }
    await recordAudit(tx, actorOf(caller), event, now)
    return { ...before, ...wanted } as DeploymentRow
  })
  app.calls.models.forget(workspaceId)
  return { deployment: describeDeployment(app, row) }
}

function inTest({ name }: DeploymentRow): Refusal {
  return new Refusal(
    'CONFLICT',
    `${name} is there for the test of an attempt and ends with it; cancel the attempt to end it now.`,
    { isFinal: true },
  )
}
