// Models a pipeline can train: those that an engine of Hone's own serves, because only their weights are at hand.
import { totalmem } from 'node:os'
import type { Catalog } from '../../catalog/catalog.ts'
import { Refusal } from '../../core/refusal.ts'
import { weightBytes } from '../../deployment/machines.ts'
import { bundledModel } from '../../engine/engines.ts'

export type TrainableModel = { id: string; display_name: string; recommended: boolean }

function trainableModels(catalog: Catalog): TrainableModel[] {
  return catalog.rows
    .filter(({ id }) => modelFolderOf(catalog, id) !== null)
    .map(({ id, display_name }, index) => ({ id, display_name, recommended: index === 0 }))
}

/** For choosing one, from a catalog that is as its file says. */
export function listTrainableModels(catalog: Catalog): TrainableModel[] {
  if (!catalog.stale) return trainableModels(catalog)
  throw new Refusal(
    'MODELS_UNAVAILABLE',
    'The catalog file is not valid at the moment; try again once it is fixed.',
    { retryAfterSeconds: 5 },
  )
}

/** Where the model's files are; null for a model that cannot be trained, or that is not in the catalog. */
export function modelFolderOf(catalog: Catalog, modelId: string): string | null {
  const route = catalog.find(modelId)?.routes.find(({ engine }) => engine === 'embedded')
  if (route?.engine !== 'embedded') return null
  return route.model_folder ?? bundledModel
}

/** The embedded trainer is the only one there is, and it trains every model that the embedded engine serves. */
export function trainingMachines(catalog: Catalog): Catalog['machines'] {
  return catalog.machines.filter(({ engine }) => engine === 'embedded')
}

/** `unknown`: the changed catalog file, which may name one, cannot be used. */
export type TrainingMachine = 'there' | 'none' | 'unknown'

export function trainingMachine(catalog: Catalog): TrainingMachine {
  if (trainingMachines(catalog).length > 0) return 'there'
  return catalog.stale ? 'unknown' : 'none'
}

/** Whether its weights alone fill the memory of every machine that could train it. A machine of unknown memory is this computer. */
export async function isTooLarge(catalog: Catalog, folder: string): Promise<boolean> {
  const memories = trainingMachines(catalog).map(({ memory_gb }) =>
    memory_gb === undefined ? totalmem() : memory_gb * 1e9,
  )
  return (await weightBytes(folder)) >= Math.max(...memories)
}
