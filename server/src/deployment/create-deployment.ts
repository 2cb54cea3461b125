// Makes a deployment: a model of the catalog, or what an attempt trained, under a name of the workspace.
import type { CreateDeployment, Deployment } from '#contract/deployment.ts'
import { deploymentNameCharactersMax } from '#contract/limits.ts'
import { actorOf } from '../account/actor.ts'
import { recordAudit } from '../account/audit-store.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CatalogModel, Machine } from '../catalog/catalog-file.ts'
import { Refusal } from '../core/refusal.ts'
import { bundledModel } from '../engine/engines.ts'
import { newId } from '../lib/id.ts'
import { isUniqueViolation } from '../storage/storage-unavailable.ts'
import { describeDeployment } from './describe-deployment.ts'
import { findDeploymentNamed, insertDeployment, type NewDeployment } from './deployment-store.ts'
import { machineFor, routeOn } from './machines.ts'
import { requireRoom } from './room.ts'

type Served = Pick<
  NewDeployment,
  'model' | 'base_revision' | 'adapter' | 'merged' | 'machine' | 'pipeline_id' | 'version_no'
> & { name?: string }

export async function createDeployment(
  app: App,
  caller: Caller,
  body: CreateDeployment,
): Promise<{ deployment: Deployment }> {
  const now = app.clock.now()
  const id = newId(now)
  const workspaceId = caller.workspace.id
  const { name: livesAs, ...served } = body.checkpoint_id
    ? await servedCheckpoint(app, workspaceId, body.checkpoint_id, body.name)
    : await servedModel(app, body.model ?? '')
  const name = body.name ?? livesAs ?? nameOf(served.model, id)
  if (name !== livesAs) await requireFreeName(app, workspaceId, name)
  const row = await app.storage.db
    .transaction()
    .execute(async (tx) => {
      await requireRoom(app, tx, workspaceId)
      const inserted = await insertDeployment(tx, {
        id,
        workspace_id: workspaceId,
        name,
        ...served,
        attempt_id: null,
        status: 'starting',
        created_at: now,
        ended_at: now,
        wake_at: now,
      })
      const detail = { name, model: served.model, machine: served.machine }
      const event = { action: 'deployment.created', targetId: id, detail }
      await recordAudit(tx, actorOf(caller), event, now)
      return inserted
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? nameTaken(name) : error
    })
  app.calls.models.forget(workspaceId)
  return { deployment: describeDeployment(app, row) }
}

async function servedModel(app: App, model: string): Promise<Served> {
  const base = app.catalog.find(model)
  if (!base) {
    const named = JSON.stringify(model.slice(0, 200))
    throw new Refusal('NOT_FOUND', `There is no model ${named} in the catalog.`)
  }
  const machine = await machineFor(app.catalog, base)
  const base_revision = await keepBase(app, base, machine)
  const nothingTrained = { adapter: null, merged: null, pipeline_id: null, version_no: null }
  return { model, base_revision, ...nothingTrained, machine: machine.name }
}

/** The weights stay what they are now, also when the folder changes; a model server has its own. */
async function keepBase(app: App, base: CatalogModel, machine: Machine): Promise<string | null> {
  const route = routeOn(base, machine)
  if (route?.engine !== 'embedded') return null
  try {
    return await app.learning.modelStore.keepModel(route.model_folder ?? bundledModel)
  } catch (error) {
    app.log.warn({ err: error, model: base.id }, 'the files of a model could not be read')
    throw new Refusal(
      'MODEL_REVISION_UNAVAILABLE',
      `The files of ${base.id} could not be read to record which revision is served; try again.`,
    )
  }
}

async function servedCheckpoint(
  app: App,
  workspaceId: string,
  hash: string,
  given: string | undefined,
): Promise<Served> {
  const checkpoint = await app.serving.findCheckpoint(workspaceId, hash)
  if (!checkpoint) {
    throw new Refusal('NOT_FOUND', 'There is no such checkpoint in this workspace.')
  }
  const { model, kind, chained, baseRevision, unserved } = checkpoint
  if (chained && kind === 'adapter') {
    throw new Refusal(
      'CHAINED_ADAPTER_NOT_DEPLOYABLE',
      'This adapter was trained on top of an earlier version and is no model without it; deploy the merged checkpoint of its version.',
    )
  }
  const base = app.catalog.find(model)
  if (!base) {
    const message = `The model ${model} that it was trained from is not in the catalog any more.`
    throw new Refusal('NOT_FOUND', message)
  }
  const machine = await machineFor(app.catalog, base)
  // The live version of a pipeline that nothing serves any more gets its name back.
  const live = given === undefined || given === unserved?.name ? unserved : null
  return {
    model,
    base_revision: baseRevision,
    adapter: kind === 'adapter' ? hash : null,
    merged: kind === 'merged' ? hash : null,
    machine: machine.name,
    pipeline_id: live?.pipelineId ?? null,
    version_no: live?.versionNo ?? null,
    ...(live && { name: live.name }),
  }
}

const idCharacters = 6

/** `hone/hone-mini` becomes `hone-mini-`, and some signs that no other deployment has. */
function nameOf(model: string, id: string): string {
  const words = model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  const end = `-${id.slice(-idCharacters)}`
  return words.slice(0, deploymentNameCharactersMax - end.length).replace(/-$/, '') + end
}

/** Names that Hone gives itself. */
const ownNames = /^(loop|candidate|live)-/

async function requireFreeName(app: App, workspaceId: string, name: string): Promise<void> {
  if (ownNames.test(name) || name === 'serverless') {
    const message = `body field name: names that begin with loop-, candidate- or live-, and serverless, are Hone's own; choose another.`
    throw new Refusal('BAD_REQUEST', message)
  }
  const { tags } = await app.samples.captureBook.rulesOf(workspaceId)
  const known = await findDeploymentNamed(app.storage.db, workspaceId, name)
  if (known || tags.has(name) || app.catalog.find(name)) throw nameTaken(name)
}

function nameTaken(name: string): Refusal {
  return new Refusal(
    'CONFLICT',
    `The name ${name} is taken by a deployment, a pipeline's tag or a model; choose another.`,
    { isFinal: true },
  )
}
