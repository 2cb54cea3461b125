// Looks up what decides whether settings can be had.
import type { PipelineChange } from '#contract/pipeline-settings.ts'
import type { App } from '../../app.ts'
import { judgeCandidate } from './pick-judge.ts'
import type { PipelineSettings } from './pipeline.ts'
import type { ModelFacts, SettingFacts } from './settle-settings.ts'
import { isTooLarge, modelFolderOf, trainingMachine } from './trainable-models.ts'

type Gathered = Pick<SettingFacts, 'models' | 'judges' | 'benchmarks'>

export async function readSettingFacts(
  app: App,
  before: PipelineSettings,
  body: PipelineChange,
): Promise<Gathered> {
  const { challenger_model: challenger } = body
  const named = [
    body.model?.id ?? before.model,
    challenger === undefined ? before.challenger_model : challenger?.id,
  ]
  const models = new Map<string, ModelFacts>()
  for (const id of named) {
    const facts = id ? await modelFacts(app, id) : null
    if (id && facts) models.set(id, facts)
  }
  return {
    models,
    judges: Array.from(app.catalog.models, judgeCandidate),
    benchmarks: 0,
  }
}

async function modelFacts(app: App, id: string): Promise<ModelFacts | null> {
  const folder = modelFolderOf(app.catalog, id)
  if (folder === null) return null
  const machine = trainingMachine(app.catalog)
  if (machine !== 'there') return { tooLarge: false, machine, revision: null }
  try {
    const tooLarge = await isTooLarge(app.catalog, folder)
    // Kept, because a version needs its base for as long as it lives, whatever becomes of the folder.
    const revision = tooLarge ? null : await app.learning.modelStore.keepModel(folder)
    return { tooLarge, machine, revision }
  } catch (error) {
    app.log.warn({ err: error, model: id }, 'the files of a model could not be read')
    return { tooLarge: false, machine, revision: null }
  }
}
