// Conditions as they are stored, for datasets and pipelines alike.
import type { Conditions } from '#contract/dataset.ts'
import { requireStorableLabels } from '../sample/require-storable-labels.ts'
import { storableName } from '../sample/storable-name.ts'

/** A model whose name holds something sensitive is known by its fingerprint here as it is in samples. */
export function storableConditions(conditions: Conditions): Conditions {
  requireStorableLabels(conditions.tags ?? [], 'conditions.tags')
  const { model } = conditions
  return model === undefined ? conditions : { ...conditions, model: storableName(model) }
}
