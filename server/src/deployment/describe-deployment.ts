// Deployments and machines as their readers see them.
import type { Deployment, Machine } from '#contract/deployment.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { recordNotFound, requireRecordId } from '../core/record-refusals.ts'
import { Refusal } from '../core/refusal.ts'
import { formatUsd } from '../lib/money.ts'
import { type DeploymentRow, findDeployment, listDeploymentRows } from './deployment-store.ts'
import { statusNow } from './machines.ts'
import { awaySentence } from './next-step.ts'

/** Newest first; `before` is the id of the last one of the page before. */
export async function listDeployments(
  app: App,
  caller: Caller,
  page: { limit: number; before: string | null },
): Promise<Deployment[]> {
  const rows = await listDeploymentRows(app.storage.db, caller.workspace.id, page)
  return rows.map((row) => describeDeployment(app, row))
}

export async function readDeployment(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ deployment: Deployment }> {
  const given = requireRecordId('deployment', id)
  const row = await findDeployment(app.storage.db, caller.workspace.id, given)
  if (!row) throw recordNotFound('deployment')
  return { deployment: describeDeployment(app, row) }
}

export function describeDeployment(
  { catalog, clock }: Pick<App, 'catalog' | 'clock'>,
  row: DeploymentRow,
): Deployment {
  const price = catalog.machine(row.machine)?.serving_usd_per_hour
  const status = statusNow(catalog, row)
  return {
    id: row.id,
    name: row.name,
    model: row.model,
    checkpoint_id: row.merged ?? row.adapter,
    status,
    // What a member stopped, or what this process serves itself, is so because the row says it.
    checked_at: (row.checked_at ?? clock.now()).toISOString(),
    detail: status === row.status ? row.detail : awaySentence,
    machine: row.machine,
    usd_per_hour: price === undefined ? null : formatUsd(price),
    in_use_by:
      row.pipeline_id === null
        ? null
        : {
            rule_id: row.pipeline_id,
            version_no: row.version_no,
            attempt_id: row.attempt_id,
          },
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
  }
}

export function listMachines({ catalog }: App): Machine[] {
  if (catalog.stale) {
    throw new Refusal(
      'GPU_OPTIONS_UNAVAILABLE',
      'The catalog file is not valid at the moment; try again once it is fixed.',
      { retryAfterSeconds: 5 },
    )
  }
  return catalog.machines.map((machine) => ({
    name: machine.name,
    engine: machine.engine,
    accelerators: machine.accelerators ?? null,
    memory_gb: machine.memory_gb ?? null,
    training_usd_per_hour: formatUsd(machine.training_usd_per_hour),
    usd_per_hour: formatUsd(machine.serving_usd_per_hour),
  }))
}
