// Creates a pipeline: its tag is made from its name and never changes.
import type { z } from 'zod'
import type { Pipeline } from '#contract/pipeline.ts'
import type { createPipelineBody } from '#contract/pipeline-settings.ts'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { findDeploymentNamed } from '../../deployment/deployment-store.ts'
import { newId } from '../../lib/id.ts'
import { isUniqueViolation } from '../../storage/storage-unavailable.ts'
import { serverlessSource } from '../../samples/capture/decide-capture.ts'
import { isSharedSource } from '../../samples/capture/require-source.ts'
import { makeScoringKey } from '../test/judge/scoring-key.ts'
import { nameKey } from '../../lib/name-key.ts'
import { requireStorableName } from '../../samples/sample/require-storable-name.ts'
import { describePipeline, readGathered } from './describe-pipeline.ts'
import { readSettingFacts } from '../pipeline/setting-facts.ts'
import * as store from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import {
  defaultSettings,
  refusalOf,
  type SettingFacts,
  settleSettings,
} from '../pipeline/settle-settings.ts'
import { storableSettings } from '../pipeline/storable-settings.ts'
import { tagOfName } from '../pipeline/tag-of-name.ts'

export async function createPipeline(
  app: App,
  caller: Caller,
  given: z.infer<typeof createPipelineBody>,
): Promise<{ pipeline: Pipeline }> {
  const now = app.clock.now()
  const id = newId(now)
  const body = await storableSettings(app, caller.workspace.id, given)
  const tag = tagOfName(body.name, id)
  // Digits that commas keep apart are a number once dashes join them.
  requireStorableName(tag)
  const of = { db: app.storage.db, workspaceId: caller.workspace.id }
  const facts = await readSettingFacts(app, of, defaultSettings, body)
  const row = async (): Promise<PipelineRow> => {
    const taken = await takenBy(app, caller.workspace.id, { name: body.name, tag })
    const settled = settleSettings(defaultSettings, body, {
      ...facts,
      ...taken,
      revision: null,
      runActive: false,
    })
    if ('refusal' in settled) throw refusalOf(settled.refusal)
    return {
      id,
      workspace_id: caller.workspace.id,
      tag,
      ...settled.settings,
      schedule_seen_at: null,
      last_skipped: 0,
      test_sizes: null,
      shortfall: null,
      revision: 1,
      consented_revision: 1,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    }
  }
  const wanted = await row()
  // What may take too long comes first: a caller whose pipeline was made must not be told that it failed.
  return app.samples.longReads.run(wanted.workspace_id, async () => {
    const gathered = await readGathered(app, wanted)
    try {
      await insert(app, caller, wanted)
    } catch (error) {
      // Another took the name or the tag meanwhile, and then they are refused as taken.
      if (isUniqueViolation(error)) await row()
      throw error
    }
    return { pipeline: describePipeline(app, wanted, gathered) }
  })
}

async function insert(app: App, caller: Caller, row: PipelineRow): Promise<void> {
  const { id, name, tag } = row
  await app.storage.db.transaction().execute(async (tx) => {
    await store.insertPipeline(tx, row)
    await makeScoringKey(tx, row, row.created_at)
    const event = { action: 'pipeline.created', targetId: id, detail: { name, tag } }
    await recordAudit(tx, actorOf(caller), event, row.created_at)
  })
  // Other processes are told by the database; the next call of this one need not wait for that.
  app.samples.captureBook.forget(row.workspace_id)
}

async function takenBy(
  app: App,
  workspaceId: string,
  { name, tag }: { name: string; tag: string },
): Promise<Pick<SettingFacts, 'nameTaken' | 'tagProblem'>> {
  const taken = await store.findTaken(app.storage.db, workspaceId, { name, tag })
  const deployment = await findDeploymentNamed(app.storage.db, workspaceId, tag)
  return {
    nameTaken: taken.some((other) => nameKey(other.name) === nameKey(name)),
    tagProblem:
      sharedSourceProblem(app, tag) ??
      // What a pipeline serves is recorded under that pipeline's tag.
      (deployment?.pipeline_id === null ? sourceTaken(tag, 'a deployment') : null) ??
      (taken.some((other) => other.tag === tag)
        ? `The tag ${tag} made from this name belongs to another pipeline; choose another name.`
        : null),
  }
}

/** Tags, models and deployments are configured under one kind of name, and deleting a pipeline forgets what stands under its own. */
function sharedSourceProblem(app: App, tag: string): string | null {
  if (!isSharedSource(app, tag)) return null
  return sourceTaken(tag, tag === serverlessSource ? 'all serverless models' : 'a model')
}

function sourceTaken(tag: string, by: string): string {
  return `The tag ${tag} made from this name is already the name of ${by}; choose another name.`
}
