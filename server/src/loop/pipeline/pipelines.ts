// Create, read, change and delete pipelines.
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { createPipelineBody, Pipeline, updatePipelineBody } from '#contract/pipeline.ts'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { newId } from '../../lib/id.ts'
import { isUniqueViolation } from '../../storage/storage-unavailable.ts'
import { deleteCaptureConfigRow } from '../capture/capture-config-store.ts'
import { serverlessSource } from '../capture/decide-capture.ts'
import { isSharedSource } from '../capture/require-source.ts'
import { recordNotFound, requireRecordId, revisionMismatch } from '../record-refusals.ts'
import { requireStorableName } from '../sample/require-storable-name.ts'
import { describeInTurn, describePipeline, readGathered } from './describe-pipeline.ts'
import * as store from './pipeline-store.ts'
import { tagOfName } from './tag-of-name.ts'
import { requireTrainable } from './trainable-models.ts'

export async function createPipeline(
  app: App,
  caller: Caller,
  body: z.infer<typeof createPipelineBody>,
): Promise<{ pipeline: Pipeline }> {
  const now = app.clock.now()
  const id = newId(now)
  const tag = tagOfName(body.name, id)
  requireStorableName(body.name)
  // Digits that commas keep apart are a number once dashes join them.
  requireStorableName(tag)
  refuseSharedSource(app, tag)
  requireTrainable(app.catalog, body.model.id)
  const row: store.PipelineRow = {
    id,
    workspace_id: caller.workspace.id,
    name: body.name,
    tag,
    model: body.model.id,
    enabled: body.enabled,
    revision: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
  await refuseTaken(app, row)
  // What may take too long comes first: whoever has made one must not be told that it failed.
  return app.longReads.run(row.workspace_id, async () => {
    const gathered = await readGathered(app, row)
    await insert(app, caller, row)
    return { pipeline: describePipeline(row, gathered) }
  })
}

async function insert(app: App, caller: Caller, row: store.PipelineRow): Promise<void> {
  const { id, name, tag } = row
  try {
    await app.storage.db.transaction().execute(async (tx) => {
      await store.insertPipeline(tx, row)
      const event = { action: 'pipeline.created', targetId: id, detail: { name, tag } }
      await recordAudit(tx, actorOf(caller), event, row.created_at)
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    await refuseTaken(app, row)
    throw error
  }
  // Other processes are told by the database; the next call of this one need not wait for that.
  app.captureBook.forget(row.workspace_id)
}

/** Their rows; a list describes only those that it shows. */
export async function listPipelines(
  app: App,
  caller: Caller,
  page: { limit: number; before: string | null },
): Promise<store.PipelineRow[]> {
  return store.listPipelineRows(app.storage.db, caller.workspace.id, page)
}

export async function readPipeline(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ pipeline: Pipeline }> {
  return { pipeline: await describeInTurn(app, await requirePipeline(app, caller, id)) }
}

export async function updatePipeline(
  app: App,
  caller: Caller,
  id: string,
  body: z.infer<typeof updatePipelineBody>,
): Promise<{ pipeline: Pipeline }> {
  if (body.name !== undefined) requireStorableName(body.name)
  const known = await requirePipeline(app, caller, id)
  const decide = (before: store.PipelineRow): Settings => {
    if (body.expected_revision !== undefined && body.expected_revision !== before.revision) {
      throw revisionMismatch('pipeline', before.revision)
    }
    if (body.model) requireTrainable(app.catalog, body.model.id)
    return {
      name: body.name ?? before.name,
      model: body.model?.id ?? before.model,
      enabled: body.enabled ?? before.enabled,
    }
  }
  try {
    // As above: a pipeline keeps its tag, whatever is changed of it.
    return await app.longReads.run(caller.workspace.id, async () => {
      const gathered = await readGathered(app, known)
      const row = await change(app, caller, id, 'pipeline.updated', decide)
      return { pipeline: describePipeline(row, gathered) }
    })
  } catch (error) {
    if (!isUniqueViolation(error) || body.name === undefined) throw error
    throw nameTaken(body.name)
  }
}

/** Samples stay; what was recorded under the pipeline's own source is recorded no more. */
export async function deletePipeline(app: App, caller: Caller, id: string): Promise<void> {
  await change(app, caller, id, 'pipeline.deleted', () => ({ deleted_at: app.clock.now() }))
  app.captureBook.forget(caller.workspace.id)
}

export async function requirePipeline(
  app: App,
  caller: Caller,
  id: string,
): Promise<store.PipelineRow> {
  const row = await store.findPipeline(
    app.storage.db,
    caller.workspace.id,
    requireRecordId('pipeline', id),
  )
  if (!row) throw recordNotFound('pipeline')
  return row
}

type Settings = Partial<Pick<store.PipelineRow, 'name' | 'model' | 'enabled' | 'deleted_at'>>

/**
 * Nobody else changes the pipeline meanwhile, so whoever sends no revision is never told of another. Where nothing changes,
 * those who read the pipeline still know it as it is, and their revision stays good.
 */
async function change(
  app: App,
  caller: Caller,
  id: string,
  action: string,
  decide: (before: store.PipelineRow) => Settings,
): Promise<store.PipelineRow> {
  return app.storage.db.transaction().execute(async (tx) => {
    const before = await store.lockPipeline(
      tx,
      caller.workspace.id,
      requireRecordId('pipeline', id),
    )
    if (!before) throw recordNotFound('pipeline')
    const changed = { ...before, ...decide(before) }
    if (isDeepStrictEqual(changed, before)) return before
    const row = { ...changed, revision: before.revision + 1, updated_at: app.clock.now() }
    await store.replacePipeline(tx, row)
    // A model may have come into the catalog under the tag since.
    if (row.deleted_at && !isSharedSource(app, row.tag)) {
      await deleteCaptureConfigRow(tx, row.workspace_id, row.tag)
    }
    const detail = { name: row.name, enabled: row.enabled, model: row.model }
    await recordAudit(tx, actorOf(caller), { action, targetId: row.id, detail }, row.updated_at)
    return row
  })
}

/** Tags and models are configured under one kind of name, and deleting a pipeline forgets what stands under its own. */
function refuseSharedSource(app: App, tag: string): void {
  if (!isSharedSource(app, tag)) return
  throw new Refusal(
    'OWN_TAG_TAKEN',
    `The tag ${tag} made from this name is already the name of ${tag === serverlessSource ? 'all serverless models' : 'a model'}; choose another name.`,
  )
}

async function refuseTaken(app: App, row: store.PipelineRow): Promise<void> {
  const taken = await store.findTaken(app.storage.db, row.workspace_id, row)
  if (taken.some(({ name }) => name === row.name)) throw nameTaken(row.name)
  if (taken.length > 0) {
    throw new Refusal(
      'OWN_TAG_TAKEN',
      `The tag ${row.tag} made from this name belongs to another pipeline; choose another name.`,
    )
  }
}

function nameTaken(name: string): Refusal {
  return new Refusal(
    'PIPELINE_NAME_TAKEN',
    `A pipeline called ${JSON.stringify(name)} exists or has existed; choose another name.`,
  )
}
