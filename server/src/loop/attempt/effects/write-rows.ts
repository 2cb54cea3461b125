// Selects what the attempt trains on, writes it to a file, and marks what it uses and what is held back.
import { dirname } from 'node:path'
import { trainingRowsMin } from '#contract/limits.ts'
import type { App } from '../../../app.ts'
import { makeFolder } from '../../../lib/make-folder.ts'
import { type AttemptRow, hasEnoughRows } from '../attempt.ts'
import { isStorageAwaited, stillUnreadable } from '../../test/storage-wait.ts'
import { findPipeline, lockPipeline } from '../../pipeline/pipeline-store.ts'
import { replaceTested } from '../../test/test-store.ts'
import { lockSamples, markHeldBack, markSetAside, markUsed } from '../../selection/mark-store.ts'
import { keepMeasured } from '../../selection/keep-measured.ts'
import { idsIn } from '../../selection/packed-ids.ts'
import { markQuestions } from '../../selection/question-store.ts'
import type { RowsSelection } from '../../selection/rows-selection.ts'
import { selectionSettingsOf } from '../../selection/selection-settings.ts'
import { StorageAway } from '../../selection/storage-away.ts'
import { testedMax } from '../../selection/test-set.ts'
import { readVersions } from '../../version/version-store.ts'
import type { Done } from './effect.ts'
import { rowsFileOf, settingsFor } from '../training-of.ts'

export async function writeRows(app: App, attempt: AttemptRow): Promise<Done | void> {
  const { state, workspace_id: workspaceId, pipeline_id: pipelineId } = attempt
  if (state.phase !== 'preparing' && state.phase !== 'waiting_for_storage') return
  const pipeline = await findPipeline(app.storage.db, workspaceId, pipelineId)
  // The deletion of the pipeline stops the attempt.
  if (!pipeline) return
  // A save of the pipeline may have pinned another base meanwhile, and changed how it trains.
  const { model_revision, training } = attempt
  const pinned = { ...pipeline, model_revision, training }
  const settings = await selectionSettingsOf(app, pinned)
  if (!settings) throw new Error(`the model ${attempt.model} cannot be trained any more`)
  const rowsFile = rowsFileOf(app, attempt)
  // They can be read back as conversations.
  await makeFolder(dirname(rowsFile), 0o700)
  const at = app.clock.now()
  const leavesOut = !isStorageAwaited(state.unreadable, at)
  const task = { settings, atMs: at.getTime(), seed: attempt.attempt_no, rowsFile, leavesOut }
  const selection = await app.learning.rowSelector.select(task).catch((error: unknown) => {
    if (error instanceof StorageAway) return null
    throw error
  })
  if (selection === null || lacksItsReason(attempt, selection)) {
    // The time at which this try began decides both whether it leaves out and whether it is the last one.
    const unreadable = stillUnreadable(state.unreadable, 1, at)
    return { changes: { state: { ...state, unreadable } } }
  }
  const rows = { train_rows: selection.trainRows, holdout_rows: selection.holdoutRows }
  const hasVersion = (await readVersions(app.storage.db, pipelineId)).live !== null
  const unlearned = hasVersion ? selection.unlearnedRows : rows.train_rows
  return {
    changes: {
      ...rows,
      state: hasVersion ? { ...state, unlearned } : state,
      replayed_rows: selection.replayed,
      skipped_rows: selection.skipped,
      settings: settingsFor(training, rows.train_rows, attempt.min_epochs),
    },
    async together(tx) {
      await lockPipeline(tx, workspaceId, pipelineId)
      const marked = { workspaceId, pipelineId }
      const { heldBack, used, setAside } = selection
      await lockSamples(tx, workspaceId, [heldBack.samples, used.samples, setAside])
      await markSetAside(tx, marked, setAside)
      await keepMeasured(tx, pipeline, selection, at)
      if (!hasEnoughRows(rows, unlearned)) return
      await markHeldBack(tx, marked, heldBack, at)
      await markUsed(tx, marked, used, attempt.attempt_no)
      await markQuestions(tx, pipelineId, selection.questions, {
        at,
        attemptNo: attempt.attempt_no,
      })
      const test = { most: testedMax, ownTag: pipeline.tag }
      await replaceTested(tx, attempt, { heldBack: idsIn(heldBack.samples), ...test })
    },
  }
}

/** It started by itself for new samples, and too few of them can be read: it would train on what earlier attempts used. */
function lacksItsReason({ reason }: AttemptRow, { leftOut, newRows }: RowsSelection): boolean {
  const isForNew = reason === 'data' || reason === 'schedule'
  return isForNew && leftOut > 0 && newRows < trainingRowsMin
}
