// Stores the rows of one import, a slice at a time, and says what became of every one of them. Spec 2, import behaviour.
import { importedRetentionDays, tagsPerSampleMax } from '#contract/limits.ts'
import type { ImportResult, ImportSettings } from '#contract/import.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { newId } from '../../lib/id.ts'
import { placeTexts } from '../own-storage/place-texts.ts'
import { requirePipeline } from '../pipeline/pipelines.ts'
import { dropSamples } from '../retention/erase-samples.ts'
import { requireStorableLabels } from '../sample/require-storable-labels.ts'
import { expiryOf, type NewSample } from '../sample/sample.ts'
import { insertSamples } from '../sample/sample-store.ts'
import { storableName } from '../sample/storable-name.ts'
import type { PreparedRow, RowColumns, Slice } from './import-messages.ts'
import type { ImportJob } from './import-reader.ts'
import { insertNewRows, type NewRowsOf } from './new-row-store.ts'
import { readPresentRows, reviewPresentRows, type ReviewOf } from './present-row-store.ts'
import { rowsOf } from './row-columns.ts'
import * as tallies from './tally.ts'

export type ImportCall = {
  job: ImportJob
  /** How many the body holds. */
  rows: number
  settings: ImportSettings
  pipelineId: string | null
}

type Import = {
  importId: string
  /** It began with this call, in which no row has another's key: so none can be there already. */
  isNew: boolean
  source: string
  tags: string[]
  caller: Caller
  at: Date
}

/** Statements of one import under way at once. */
const statementsMax = 2
/** After so many slices that failed, which is more than were under way at once, the rest is not tried. */
const failuresMax = 2 * statementsMax

export async function importRows(
  app: App,
  caller: Caller,
  { job, rows, settings, pipelineId }: ImportCall,
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
  const into: Import = {
    importId: settings.import_id === undefined ? importId : storableName(importId),
    isNew: settings.import_id === undefined,
    ...(await placeOf(app, caller, settings, pipelineId)),
    caller,
    at,
  }
  const order = {
    rowIds,
    rowOffset: settings.row_offset ?? 0,
    pipelineId,
    goodByDefault: settings.default_feedback !== undefined,
    atMs: at.getTime(),
  }
  const tally = tallies.newTally()
  const failure = await storeSlices(app, into, job, job.slices(order), tally, rows)
  const result = tallies.resultOf(tally, importId)
  if (!tallies.isIncomplete(tally)) return result
  throw new Refusal(
    'IMPORT_INCOMPLETE',
    'Not everything could be stored; send the same rows again with this import_id.',
    { extra: result, cause: failure },
  )
}

async function placeOf(
  app: App,
  caller: Caller,
  { source, labels = [] }: ImportSettings,
  pipelineId: string | null,
): Promise<Pick<Import, 'source' | 'tags'>> {
  requireStorableLabels(labels)
  if (pipelineId === null) return { source: storableName(source ?? ''), tags: labels }
  const { tag } = await requirePipeline(app, caller, pipelineId)
  const tags = [...new Set([tag, ...labels])]
  if (tags.length > tagsPerSampleMax) {
    throw new Refusal(
      'BAD_REQUEST',
      `labels must be at most ${tagsPerSampleMax} together with the pipeline's own tag.`,
    )
  }
  return { source: tag, tags }
}

/** Answers the first failure there was, if any; whom it hit stands in the tally. */
async function storeSlices(
  app: App,
  into: Import,
  job: ImportJob,
  slices: AsyncIterable<Slice>,
  tally: tallies.Tally,
  rows: number,
): Promise<unknown> {
  const failures: unknown[] = []
  const running = new Set<Promise<void>>()
  // Slices come in the order of the rows.
  let seen = 0
  try {
    for await (const slice of slices) {
      seen += slice.rows.positions.length + slice.refused.length
      tally.refused.push(...slice.refused)
      tallies.countShapes(tally, slice.rows)
      if (running.size >= statementsMax) await Promise.race(running)
      const storing = storeSlice(app, into, slice.rows, tally, failures).then((stored) => {
        running.delete(storing)
        // What was not stored may still be on its way to the database.
        job.sliceDone(stored ? slice.rows.columns.buffer : null)
      })
      running.add(storing)
    }
  } catch (error) {
    // The thread that prepares the rows is gone. If nothing was stored, the call as a whole was not served.
    await Promise.all(running)
    if (tally.imported + tally.alreadyPresent + tally.notSaved.length === 0) throw error
    failures.push(error)
    for (let position = seen + 1; position <= rows; position++) tally.notSaved.push(position)
  }
  await Promise.all(running)
  return failures[0]
}

/** Never throws: rows that cannot be stored are counted as such. True when the database has taken all of them. */
async function storeSlice(
  app: App,
  into: Import,
  slice: RowColumns,
  tally: tallies.Tally,
  failures: unknown[],
): Promise<boolean> {
  if (slice.positions.length === 0) return true
  if (failures.length >= failuresMax) {
    tally.notSaved.push(...slice.positions)
    return true
  }
  let repeated: Set<string>
  try {
    if (await app.ownStorages.defaultOf(into.caller.workspace.id)) {
      await storeOutside(app, into, rowsOf(slice), tally, failures)
      return true
    }
    repeated = await insertNewRows(app.storage, newRowsOf(into), slice)
  } catch (error) {
    failures.push(error)
    tally.notSaved.push(...slice.positions)
    return false
  }
  if (repeated.size === 0) {
    tallies.countAllImported(tally, slice)
    return true
  }
  const rows = rowsOf(slice)
  const absent = await countStored(app, into, rows, (id) => !repeated.has(id), tally, failures)
  await storeAgain(app, into, absent, tally, failures)
  return true
}

/** Rows that had a sample when they first came, and have none any more. */
async function storeAgain(
  app: App,
  into: Import,
  rows: PreparedRow[],
  tally: tallies.Tally,
  failures: unknown[],
): Promise<void> {
  if (rows.length === 0) return
  let stored = new Set<string>()
  try {
    stored = await insertSamples(
      app.storage,
      rows.map((row) => newSample(into, row)),
    )
  } catch (error) {
    failures.push(error)
  }
  for (const row of rows) if (stored.has(row.id)) tallies.countImported(tally, row)
  notSaved(
    tally,
    rows.filter(({ id }) => !stored.has(id)),
  )
}

/** The texts go to the workspace's own bucket. Objects are dearer to write than rows, so none is that is there already. */
async function storeOutside(
  app: App,
  into: Import,
  rows: PreparedRow[],
  tally: tallies.Tally,
  failures: unknown[],
): Promise<void> {
  let waiting = rows
  let stored: Set<string>
  try {
    waiting = await countRepeated(app, into, rows, tally)
    const samples = waiting.map((row) => newSample(into, row))
    const { placed, failed } = await placeTexts(app, into.caller.workspace.id, samples)
    if (failed.length > 0) {
      failures.push(new Error('the storage of the workspace could not be written to'))
      const lost = new Set(failed.map(({ id }) => id))
      notSaved(
        tally,
        waiting.filter(({ id }) => lost.has(id)),
      )
      waiting = waiting.filter(({ id }) => !lost.has(id))
    }
    stored = await insertSamples(app.storage, placed)
  } catch (error) {
    failures.push(error)
    return notSaved(tally, waiting)
  }
  // What is not there now was deleted since it was looked for: the next try stores it anew.
  notSaved(tally, await countStored(app, into, waiting, (id) => stored.has(id), tally, failures))
}

/** Answers the rows that were not stored now and have no sample of an earlier call either. */
async function countStored(
  app: App,
  into: Import,
  rows: PreparedRow[],
  isStored: (id: string) => boolean,
  tally: tallies.Tally,
  failures: unknown[],
): Promise<PreparedRow[]> {
  for (const row of rows) if (isStored(row.id)) tallies.countImported(tally, row)
  const repeated = rows.filter(({ id }) => !isStored(id))
  try {
    return await countRepeated(app, into, repeated, tally)
  } catch (error) {
    failures.push(error)
    await countLate(app, into, repeated, tally)
    return []
  }
}

/** Looks once more at rows whose feedback may have been added or not. Those of which nothing is known are not saved. */
async function countLate(
  app: App,
  into: Import,
  rows: PreparedRow[],
  tally: tallies.Tally,
): Promise<void> {
  const found = await readPresentRows(app.storage, reviewOf(into), rows).catch(
    () => new Map<string, tallies.PresentRow>(),
  )
  for (const row of rows) {
    const present = found.get(row.rowKey)
    if (present && !present.expired) tallies.countPresentLate(tally, row, present)
    else notSaved(tally, [row])
  }
}

function notSaved(tally: tallies.Tally, lost: readonly PreparedRow[]): void {
  for (const { position } of lost) tally.notSaved.push(position)
}

/**
 * Counts the rows that are stored already, with feedback for those that had none, and answers the others. Samples whose
 * time is over make room at once.
 */
async function countRepeated(
  app: App,
  into: Import,
  rows: PreparedRow[],
  tally: tallies.Tally,
): Promise<PreparedRow[]> {
  if (rows.length === 0) return []
  const found = await reviewPresentRows(app.storage, reviewOf(into), rows)
  const expired = [...found.values()].filter((row) => row.expired).map(({ id }) => id)
  await dropSamples(app, into.caller.workspace.id, expired)
  return rows.filter((row) => {
    const present = found.get(row.rowKey)
    if (!present || present.expired) return true
    tallies.countPresent(tally, row, present)
    return false
  })
}

function reviewOf({ importId, caller, at }: Import): ReviewOf {
  return {
    workspaceId: caller.workspace.id,
    importId,
    userId: caller.user.id,
    keyId: caller.key?.id ?? null,
    at,
  }
}

function newRowsOf({ importId, isNew, source, tags, caller, at }: Import): NewRowsOf {
  return {
    workspaceId: caller.workspace.id,
    importId,
    isNew,
    source,
    tags,
    userId: caller.user.id,
    keyId: caller.key?.id ?? null,
    at,
    expiresAt: expiryOf(at, importedRetentionDays),
  }
}

function newSample({ importId, source, tags, caller, at }: Import, row: PreparedRow): NewSample {
  return {
    id: row.id,
    workspaceId: caller.workspace.id,
    origin: 'imported',
    source,
    model: null,
    tags,
    requestId: null,
    importId,
    rowKey: row.rowKey,
    shape: row.shape,
    answered: row.answered,
    text: { conversation: row.conversation, searchText: row.searchText, bytes: row.bytes },
    objectKey: null,
    signal: row.feedback && {
      id: row.feedback.signalId,
      verdict: row.feedback.verdict,
      correction: row.feedback.correction,
      givenBy: 'import',
      gold: true,
      userId: caller.user.id,
      keyId: caller.key?.id ?? null,
    },
    createdAt: at,
    expiresAt: expiryOf(at, importedRetentionDays),
  }
}
