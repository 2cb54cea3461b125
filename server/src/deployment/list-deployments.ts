// Deployments and machines as their readers see them.
import type { Deployment, Machine } from '#contract/deployment.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { formatUsd } from '../lib/money.ts'
import { type DeploymentRow, listDeploymentRows } from './deployment-store.ts'

/** Newest first; `before` is the id of the last one of the page before. */
export async function listDeployments(
  app: App,
  caller: Caller,
  page: { limit: number; before: string | null },
): Promise<Deployment[]> {
  const rows = await listDeploymentRows(app.storage.db, caller.workspace.id, page)
  return rows.map((row) => describeDeployment(app.catalog, row))
}

function describeDeployment(catalog: Catalog, row: DeploymentRow): Deployment {
  const price = catalog.machine(row.machine)?.serving_usd_per_hour
  return {
    id: row.id,
    name: row.name,
    model: row.model,
    checkpoint_id: row.merged ?? row.adapter,
    status: row.status,
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
  return catalog.machines.map((machine) => ({
    name: machine.name,
    engine: machine.engine,
    accelerators: machine.accelerators ?? null,
    memory_gb: machine.memory_gb ?? null,
    training_usd_per_hour: formatUsd(machine.training_usd_per_hour),
    serving_usd_per_hour: formatUsd(machine.serving_usd_per_hour),
  }))
}
