// Changes the settings of a pipeline. An accepted change is consent to train with the settings as they then are.
import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from 'kysely'
import type { Pipeline } from '#contract/pipeline.ts'
import type { PipelineChange } from '#contract/pipeline-settings.ts'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import type { Database } from '../../storage/schema.ts'
import { isUniqueViolation } from '../../storage/storage-unavailable.ts'
import { findRunning } from '../attempt/attempt-store.ts'
import { renameScoringKey } from '../test/judge/scoring-key.ts'
import { nameKey } from '../../lib/name-key.ts'
import { recordNotFound } from '../../core/record-refusals.ts'
import { describePipeline, readGathered } from './describe-pipeline.ts'
import { readSettingFacts } from '../pipeline/setting-facts.ts'
import * as store from '../pipeline/pipeline-store.ts'
import { namedModel, type PipelineRow } from '../pipeline/pipeline.ts'
import { requirePipeline } from '../pipeline/require-pipeline.ts'
import { refusalOf, settleSettings } from '../pipeline/settle-settings.ts'
import { storableSettings } from '../pipeline/storable-settings.ts'

export async function updatePipeline(
  app: App,
  caller: Caller,
  id: string,
  given: PipelineChange,
): Promise<{ pipeline: Pipeline }> {
  const body = await storableSettings(app, caller.workspace.id, given)
  const known = await requirePipeline(app, caller, id)
  const wanted = await wantedRow(app, app.storage.db, known, body)
  // What may take too long comes first: a caller whose change was made must not be told that it failed.
  return app.samples.longReads.run(caller.workspace.id, async () => {
    const gathered = await readGathered(app, wanted)
    const row = await change(app, caller, known.id, body)
    // Another may have changed what the pipeline selects since.
    const isSame = isDeepStrictEqual(selectionOf(row), selectionOf(wanted))
    return {
      pipeline: describePipeline(app, row, isSame ? gathered : await readGathered(app, row)),
    }
  })
}

function selectionOf({ tags, datasets, conditions, held_back_percent }: PipelineRow): unknown {
  return [tags, datasets, conditions, held_back_percent]
}

/** Nobody else changes the pipeline meanwhile, so a caller that sends no revision is never told of another. */
async function change(
  app: App,
  caller: Caller,
  id: string,
  body: PipelineChange,
): Promise<PipelineRow> {
  const changeLocked = async (tx: Transaction<Database>): Promise<PipelineRow> => {
    const before = await store.lockPipeline(tx, caller.workspace.id, id)
    if (!before) throw recordNotFound('pipeline')
    const row = await wantedRow(app, tx, before, body)
    if (row === before) return before
    await store.replacePipeline(tx, row)
    if (row.name !== before.name) await renameScoringKey(tx, row)
    const detail = { name: row.name, enabled: row.enabled, model: namedModel(row) }
    const event = { action: 'pipeline.updated', targetId: row.id, detail }
    await recordAudit(tx, actorOf(caller), event, row.updated_at)
    return row
  }
  const attempt = (): Promise<PipelineRow> => app.storage.db.transaction().execute(changeLocked)
  try {
    return await attempt()
  } catch (error) {
    // Another pipeline took the name meanwhile, and then the name is refused as taken.
    if (isUniqueViolation(error)) return attempt()
    throw error
  }
}

/** The row itself where nothing changes: those who read the pipeline still know it as it is, and their revision stays good. */
async function wantedRow(
  app: App,
  db: store.Reader,
  before: PipelineRow,
  body: PipelineChange,
): Promise<PipelineRow> {
  const settled = settleSettings(before, body, {
    ...(await readSettingFacts(app, { db, workspaceId: before.workspace_id }, before, body)),
    revision: before.revision,
    runActive: (await findRunning(db, before.id)) !== null,
    nameTaken: await isTaken(db, before, body.name),
    tagProblem: null,
  })
  if ('refusal' in settled) throw refusalOf(settled.refusal)
  const settings = { ...before, ...settled.settings }
  // Other samples may be trained on and tested then; they are measured when they are selected.
  const isSelected = isDeepStrictEqual(selectionOf(settings), selectionOf(before))
  const changed = isSelected ? settings : { ...settings, test_sizes: null, shortfall: null }
  const isSame = isDeepStrictEqual(changed, before)
  if (isSame && before.consented_revision === before.revision) return before
  const revision = isSame ? before.revision : before.revision + 1
  return { ...changed, revision, consented_revision: revision, updated_at: app.clock.now() }
}

async function isTaken(
  db: store.Reader,
  { id, workspace_id, tag, name: before }: PipelineRow,
  name = before,
): Promise<boolean> {
  if (name === before) return false
  const taken = await store.findTaken(db, workspace_id, { name, tag })
  return taken.some((other) => other.id !== id && nameKey(other.name) === nameKey(name))
}
