// Looks up what decides whether settings can be had.
import type { PipelineChange } from '#contract/pipeline-settings.ts'
import type { App } from '../../app.ts'
import { findDeploymentNamed } from '../../deployment/deployment-store.ts'
import { isForTest } from '../../deployment/serve-for-test.ts'
import { judgeCandidate } from './pick-judge.ts'
import type { Reader } from './pipeline-store.ts'
import { namedModel, type PipelineSettings } from './pipeline.ts'
import type { DeploymentFacts, ModelFacts, SettingFacts } from './settle-settings.ts'
import { isTooLarge, modelFolderOf, trainingMachine } from './trainable-models.ts'

type Gathered = Pick<SettingFacts, 'models' | 'deployment' | 'judges' | 'benchmarks'>

export async function readSettingFacts(
  app: App,
  { db, workspaceId }: { db: Reader; workspaceId: string },
  before: PipelineSettings,
  body: PipelineChange,
): Promise<Gathered> {
  const { challenger_model: challenger } = body
  const model = body.model?.id ?? namedModel(before)
  const deployment = await deploymentFacts(app, { db, workspaceId }, before, model)
  const named = [
    deployment ? null : model,
    challenger === undefined ? before.challenger_model : challenger?.id,
  ]
  const models = new Map<string, ModelFacts>()
  for (const id of named) {
    const facts = id ? await modelFacts(app, id, null) : null
    if (id && facts) models.set(id, facts)
  }
  return {
    models,
    deployment,
    judges: Array.from(app.catalog.models, judgeCandidate),
    benchmarks: 0,
  }
}

/** Null for the name of a model of the catalog, and for one that is not known. */
async function deploymentFacts(
  app: App,
  { db, workspaceId }: { db: Reader; workspaceId: string },
  before: PipelineSettings,
  name: string,
): Promise<DeploymentFacts | null> {
  // What was pinned stays, whatever the deployment has become since.
  if (name === before.model_deployment) {
    const { model, model_revision: revision } = before
    return { name, model, unfit: null, facts: await modelFacts(app, model, revision) }
  }
  if (app.catalog.find(name)) return null
  const row = await findDeploymentNamed(db, workspaceId, name)
  if (!row || isForTest(row)) return null
  const { model } = row
  if (row.adapter !== null) return { name, model, unfit: 'adapter', facts: null }
  const machine = app.catalog.machine(row.machine)
  if (machine && machine.engine !== 'embedded') {
    return { name, model, unfit: 'machine', facts: null }
  }
  const revision = row.merged ?? row.base_revision
  return { name, model, unfit: null, facts: await modelFacts(app, model, revision) }
}

/** `revision`: files of the store of models, instead of those of the catalog's row. */
async function modelFacts(
  app: App,
  id: string,
  revision: string | null,
): Promise<ModelFacts | null> {
  const { modelStore } = app.learning
  const ofCatalog = modelFolderOf(app.catalog, id)
  if (ofCatalog === null) return null
  const folder = revision === null ? ofCatalog : modelStore.modelPath(revision)
  const machine = trainingMachine(app.catalog)
  if (machine !== 'there') return { tooLarge: false, machine, revision: null }
  try {
    const tooLarge = await isTooLarge(app.catalog, folder)
    // Kept, because a version needs its base for as long as it lives, whatever becomes of the folder.
    return { tooLarge, machine, revision: tooLarge ? null : await modelStore.keepModel(folder) }
  } catch (error) {
    app.log.warn({ err: error, model: id }, 'the files of a model could not be read')
    return { tooLarge: false, machine, revision: null }
  }
}
