// Which machine serves a model, and what that costs. Pure, but for the sizes of files.
import { readdir, stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogModel, CatalogRoute, Machine } from '../catalog/catalog-file.ts'
import { Refusal } from '../core/refusal.ts'
import { bundledModel } from '../engine/engines.ts'
import type { Picodollars } from '../lib/money.ts'
import type { DeploymentRow } from './deployment-store.ts'

type OnMachine = { model: string; machine: string }

/** The route that leads to a model on this machine; null where there is none. */
export function routeOn(base: CatalogModel, machine: Machine): CatalogRoute | null {
  const leads = (route: CatalogRoute): boolean =>
    machine.engine === 'embedded'
      ? route.engine === 'embedded'
      : 'machine' in route && route.machine === machine.name
  return base.routes.find(leads) ?? null
}

/** Of an hour; null where the model or the machine has left the catalog. */
export function servingPriceOf(
  catalog: Catalog,
  { model, machine: name }: OnMachine,
): Picodollars | null {
  const [base, machine] = [catalog.find(model), catalog.machine(name)]
  return base && machine && routeOn(base, machine) ? machine.serving_usd_per_hour : null
}

/** What is to serve and cannot, because its model or its machine has left the catalog, resumes by itself. */
export function statusNow(
  catalog: Catalog,
  row: OnMachine & Pick<DeploymentRow, 'status'>,
): DeploymentRow['status'] {
  const runs = row.status === 'serving' || row.status === 'starting'
  return runs && servingPriceOf(catalog, row) === null ? 'paused_by_platform' : row.status
}

/** In another process or on another computer, so that it must be asked whether it serves. */
export function isOutside(catalog: Catalog, name: string): boolean {
  return catalog.machine(name)?.engine !== 'embedded'
}

/** The first of the catalog that serves the model, and has the memory for it. */
export async function machineFor(catalog: Catalog, base: CatalogModel): Promise<Machine> {
  for (const machine of catalog.machines) {
    const route = routeOn(base, machine)
    if (route && (await fits(machine, route))) return machine
  }
  throw noMachine(catalog, `No machine in the catalog serves ${base.id} at the moment.`)
}

/** While the changed catalog file cannot be used, the machines are unknown. */
export function noMachine(catalog: Catalog, sentence: string): Refusal {
  if (!catalog.stale) return new Refusal('NO_GPU_FITS', sentence)
  return new Refusal(
    'GPU_OPTIONS_UNAVAILABLE',
    'The catalog file is not valid at the moment, so no machine can be chosen; try again once it is fixed.',
    { retryAfterSeconds: 5 },
  )
}

async function fits({ memory_gb }: Machine, route: CatalogRoute): Promise<boolean> {
  if (route.engine !== 'embedded') return true
  const memory = memory_gb === undefined ? totalmem() : memory_gb * 1e9
  return (await weightBytes(route.model_folder ?? bundledModel)) < memory
}

export async function weightBytes(folder: string): Promise<number> {
  const names = await readdir(folder)
  const weights = names.filter((name) => name.endsWith('.safetensors'))
  const sizes = await Promise.all(
    weights.map(async (name) => (await stat(join(folder, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
