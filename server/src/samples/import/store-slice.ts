// Stores the rows of one slice wherever they belong, and counts what became of every one of them.
import { importedRetentionDays } from '#contract/limits.ts'
import type { ReadFailure } from '#contract/own-storage.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { isRefusedValue } from '../../storage/refused-value.ts'
import { placeTexts } from '../own-storage/place-texts.ts'
import { dropSamples } from '../retention/erase-samples.ts'
import { expiryOf, type NewSample } from '../sample/sample.ts'
import type { PreparedRow, RowColumns } from './import-messages.ts'
import { insertHalving, trying } from './insert-halving.ts'
import { insertNewRows, type NewRowsOf } from './new-row-store.ts'
import { readPresentRows, reviewPresentRows, type ReviewOf } from './present-row-store.ts'
import { rowsOf } from './row-columns.ts'
import * as tallies from './import-tally.ts'

export type Import = {
  importId: string
  /** It began with this call, in which no row has another's key: so none can be there already. */
  isNew: boolean
  source: string
  tags: string[]
  caller: Caller
  at: Date
}

/** One import under way: where its rows go, what became of them so far, and what went wrong with the database. */
export type Storing = {
  app: App
  into: Import
  tally: tallies.Tally
  failures: unknown[]
  /** Why the workspace's own storage did not take some of them. */
  ownStorageFailure: ReadFailure | null
}

/** Never throws: rows that cannot be stored are counted as such. True when the database is done with all of them. */
export async function storeSlice(storing: Storing, slice: RowColumns): Promise<boolean> {
  const { app, into, tally, failures } = storing
  if (slice.positions.length === 0) return true
  let repeated: Set<string>
  try {
    if (await app.samples.ownStorages.defaultOf(into.caller.workspace.id)) {
      await storeOutside(storing, rowsOf(slice))
      return true
    }
    repeated = await trying(() => insertNewRows(app.storage, newRowsOf(into), slice))
  } catch (error) {
    if (isRefusedValue(error)) {
      await storeByHalves(storing, rowsOf(slice))
      return true
    }
    failures.push(error)
    tally.notSaved.push(...slice.positions)
    return false
  }
  if (repeated.size === 0) {
    tallies.countAllImported(tally, slice)
    return true
  }
  const absent = await countStored(storing, rowsOf(slice), (id) => !repeated.has(id))
  await storeAgain(storing, absent)
  return true
}

/** Rows among which is one that the database refuses, so that none is stored yet. */
async function storeByHalves(storing: Storing, rows: PreparedRow[]): Promise<void> {
  const samples = rows.map((row) => newSample(storing.into, row))
  const { left, stored } = await insert(storing, rows, samples)
  await storeAgain(storing, await countStored(storing, left, (id) => stored.has(id)))
}

/** Rows that had a sample when they first came, and have none any more. */
async function storeAgain(storing: Storing, rows: PreparedRow[]): Promise<void> {
  const samples = rows.map((row) => newSample(storing.into, row))
  const { left, stored } = await insert(storing, rows, samples)
  for (const row of left) {
    if (stored.has(row.id)) tallies.countImported(storing.tally, row)
    else notSaved(storing, [row])
  }
}

/** The texts go to the workspace's own bucket. Objects are dearer to write than rows, so none is that is there already. */
async function storeOutside(storing: Storing, rows: PreparedRow[]): Promise<void> {
  const { app, into, failures } = storing
  let waiting = await countRepeated(storing, rows)
  let placed: NewSample[] = []
  try {
    const samples = waiting.map((row) => newSample(into, row))
    const placing = await placeTexts(app, into.caller.workspace.id, samples)
    placed = placing.placed
    if (placing.failure !== null) {
      storing.ownStorageFailure ??= placing.failure
      failures.push(new Error('the storage of the workspace could not be written to'))
    }
  } catch (error) {
    failures.push(error)
  }
  const there = new Set(placed.map(({ id }) => id))
  notSaved(
    storing,
    waiting.filter(({ id }) => !there.has(id)),
  )
  waiting = waiting.filter(({ id }) => there.has(id))
  const { left, stored } = await insert(storing, waiting, placed)
  // What is not there now was deleted since it was looked for: the next try stores it anew.
  notSaved(storing, await countStored(storing, left, (id) => stored.has(id)))
}

/** Counts the rows that the database refuses and those it may have or not, and answers the others. */
async function insert(
  storing: Storing,
  rows: readonly PreparedRow[],
  samples: readonly NewSample[],
): Promise<{ left: PreparedRow[]; stored: Set<string> }> {
  const { app, into, tally, failures } = storing
  const { stored, refused, lost, failure } = await insertHalving(app.storage, samples)
  if (refused.size > 0) {
    const about = { workspace_id: into.caller.workspace.id, rows: refused.size }
    app.log.warn(about, 'the database refused rows of an import')
  }
  if (lost.size > 0) failures.push(failure)
  for (const row of rows) if (refused.has(row.id)) tallies.countRefused(tally, row)
  notSaved(
    storing,
    rows.filter(({ id }) => lost.has(id)),
  )
  return { left: rows.filter(({ id }) => !refused.has(id) && !lost.has(id)), stored }
}

/** Answers the rows that were not stored now and have no sample of an earlier call either. */
async function countStored(
  storing: Storing,
  rows: PreparedRow[],
  isStored: (id: string) => boolean,
): Promise<PreparedRow[]> {
  for (const row of rows) if (isStored(row.id)) tallies.countImported(storing.tally, row)
  return countRepeated(
    storing,
    rows.filter(({ id }) => !isStored(id)),
  )
}

/**
 * Counts the rows that are stored already, with feedback for those that had none, and answers the others. Feedback that the
 * database refuses is looked for by halves, as rows are.
 */
async function countRepeated(storing: Storing, rows: PreparedRow[]): Promise<PreparedRow[]> {
  if (rows.length === 0) return []
  try {
    return await review(storing, rows)
  } catch (error) {
    if (isRefusedValue(error) && rows.length > 1) {
      const half = Math.ceil(rows.length / 2)
      const absent = await countRepeated(storing, rows.slice(0, half))
      return [...absent, ...(await countRepeated(storing, rows.slice(half)))]
    }
    // That one piece of feedback is refused says nothing about the rows to come.
    if (!isRefusedValue(error)) storing.failures.push(error)
    await countLate(storing, rows)
    return []
  }
}

/** Samples whose time is over make room at once. */
async function review({ app, into, tally }: Storing, rows: PreparedRow[]): Promise<PreparedRow[]> {
  const found = await trying(() => reviewPresentRows(app.storage, reviewOf(into), rows))
  const expired = [...found.values()].filter((row) => row.expired).map(({ id }) => id)
  await dropSamples(app, into.caller.workspace.id, expired)
  return rows.filter((row) => {
    const present = found.get(row.rowKey)
    if (!present || present.expired) return true
    tallies.countPresent(tally, row, present)
    return false
  })
}

/** Looks once more at rows whose feedback may have been added or not. Those of which nothing is known are not saved. */
async function countLate(storing: Storing, rows: PreparedRow[]): Promise<void> {
  const { app, into, tally } = storing
  const found = await readPresentRows(app.storage, reviewOf(into), rows).catch(
    () => new Map<string, tallies.PresentRow>(),
  )
  for (const row of rows) {
    const present = found.get(row.rowKey)
    if (present && !present.expired) tallies.countPresentLate(tally, row, present)
    else notSaved(storing, [row])
  }
}

function notSaved({ tally }: Storing, lost: readonly PreparedRow[]): void {
  for (const { position } of lost) tally.notSaved.push(position)
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
    versionNo: null,
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
