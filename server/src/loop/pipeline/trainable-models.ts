// Models a pipeline can train: those that an engine of Hone's own serves, because only their weights are at hand.
import type { Catalog } from '../../catalog/catalog.ts'
import { Refusal } from '../../core/refusal.ts'

export type TrainableModel = { id: string; display_name: string; recommended: boolean }

function trainableModels(catalog: Catalog): TrainableModel[] {
  return catalog.rows
    .filter(({ id }) => catalog.find(id)?.routes.some((route) => route.engine === 'embedded'))
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

export function requireTrainable(catalog: Catalog, modelId: string): void {
  if (trainableModels(catalog).some((model) => model.id === modelId)) return
  throw new Refusal(
    'MODEL_NOT_TRAINABLE',
    `${JSON.stringify(modelId)} cannot be trained; GET /api/loop/models lists the models that can.`,
  )
}
