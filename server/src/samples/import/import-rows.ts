// Stores the rows of one import, a slice at a time, and says what became of every one of them. Spec 2, import behaviour.
import { setTimeout as delay } from 'node:timers/promises'
import type { ImportResult, ImportSettings } from '#contract/import.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { newId } from '../../lib/id.ts'
import { writeFailureSentence } from '../own-storage/failure-reason.ts'
import { joinLabels } from '../sample/join-labels.ts'
import { requireStorableLabels } from '../sample/require-storable-labels.ts'
import { storableName } from '../sample/storable-name.ts'
import type { Slice } from './import-messages.ts'
import type { ImportJob } from './import-reader.ts'
import { type Import, storeSlice, type Storing } from './store-slice.ts'
import * as tallies from './import-tally.ts'

export type ImportCall = {
  job: ImportJob
  /** How many the body holds. */
  rows: number
  settings: ImportSettings
  /** Finds the pipeline that the rows go into; null where they go into none. */
  findPipeline: (() => Promise<TaggedPipeline>) | null
}

export type TaggedPipeline = { id: string; tag: string }

/** Statements of one import under way at once. */
const statementsMax = 2
/** After so many slices that failed, which is more than were under way at once, the rest is not tried. */
const failuresMax = 2 * statementsMax
/** Connections that break together are noticed one by one: whoever asks again at once is handed another broken one. */
const afterFailureMs = 250

export async function importRows(
  app: App,
  caller: Caller,
  { job, rows, settings, findPipeline }: ImportCall,
): Promise<ImportResult> {
  const rowIds = settings.row_ids ?? null
  if (rowIds && rowIds.length !== rows) {
    throw new Refusal(
      'BAD_REQUEST',
      `row_ids must have one id for each row: there are ${rows} rows and ${rowIds.length} ids.`,
    )
  }
  const at = app.clock.now()
  const importId = settings.import_id ?? newId(at)
  const pipeline = findPipeline && (await findPipeline())
  const into: Import = {
    importId: settings.import_id === undefined ? importId : storableName(importId),
    isNew: settings.import_id === undefined,
    ...placeOf(settings, pipeline),
    caller,
    at,
  }
  const order = {
    rowIds,
    rowOffset: settings.row_offset ?? 0,
    pipelineId: pipeline && pipeline.id,
    goodByDefault: settings.default_feedback !== undefined,
    atMs: at.getTime(),
  }
  const tally = tallies.newTally()
  const storing: Storing = { app, into, tally, failures: [], ownStorageFailure: null }
  await storeSlices(storing, job, job.slices(order), rows)
  const result = tallies.resultOf(tally, importId)
  if (!tallies.isIncomplete(tally)) return result
  throw incomplete(result, storing)
}

function incomplete(
  result: ImportResult,
  { failures, ownStorageFailure: reason }: Storing,
): Refusal {
  const what =
    reason === null
      ? 'Not everything could be stored'
      : `${writeFailureSentence(reason)}, and not everything could be stored`
  return new Refusal(
    'IMPORT_INCOMPLETE',
    `${what}; send the same rows again with this import_id.`,
    { extra: reason === null ? result : { ...result, reason }, cause: failures[0] },
  )
}

function placeOf(
  { source, labels = [] }: ImportSettings,
  pipeline: TaggedPipeline | null,
): Pick<Import, 'source' | 'tags'> {
  requireStorableLabels(labels)
  if (!pipeline) return { source: storableName(source ?? ''), tags: labels }
  const { tag } = pipeline
  return { source: tag, tags: joinLabels([tag], labels) }
}

async function storeSlices(
  storing: Storing,
  job: ImportJob,
  slices: AsyncIterable<Slice>,
  rows: number,
): Promise<void> {
  const { tally, failures } = storing
  const running = new Set<Promise<void>>()
  // Slices come in the order of the rows.
  let seen = 0
  try {
    for await (const slice of slices) {
      seen += slice.rows.positions.length + slice.refused.length
      tally.refused.push(...slice.refused)
      tallies.countShapes(tally, slice.rows)
      if (running.size >= statementsMax) await Promise.race(running)
      const storingSlice = storeOrGiveUp(storing, slice).then((done) => {
        running.delete(storingSlice)
        // What was not stored may still be on its way to the database.
        job.sliceDone(done ? slice.rows.columns.buffer : null)
      })
      running.add(storingSlice)
    }
  } catch (error) {
    // The thread that prepares the rows is gone. If nothing was stored, the call as a whole was not served.
    await Promise.all(running)
    if (tally.imported + tally.alreadyPresent + tally.notSaved.length === 0) throw error
    failures.push(error)
    for (let position = seen + 1; position <= rows; position++) tally.notSaved.push(position)
  }
  await Promise.all(running)
}

async function storeOrGiveUp(storing: Storing, { rows }: Slice): Promise<boolean> {
  const { failures, tally } = storing
  const failuresBefore = failures.length
  if (failuresBefore < failuresMax) {
    const done = await storeSlice(storing, rows)
    if (failures.length > failuresBefore) await delay(afterFailureMs)
    return done
  }
  tally.notSaved.push(...rows.positions)
  return true
}
