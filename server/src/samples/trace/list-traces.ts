// Lists samples, newest first, and searches them.
import type { z } from 'zod'
import {
  sampleCountMax,
  samplesPerPage,
  searchCharactersMax,
  searchCharactersMin,
  searchCountMax,
} from '#contract/limits.ts'
import type { TraceListed, traceQuery } from '#contract/sample.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { LoopTurns } from '../../lib/loop-turns.ts'
import { requireDataset } from '../dataset/datasets.ts'
import { summaryOf } from '../sample/sample-store.ts'
import { storableName } from '../sample/storable-name.ts'
import { foldForSearch } from '../sample/search-text.ts'
import { readStoredText } from '../sample/stored-text.ts'
import {
  countListed,
  countOutside,
  countToTheEnd,
  type ListedRow,
  readIds,
  readListed,
} from '../search/list-store.ts'
import { type Found, searchSamples } from '../search/search-samples.ts'
import type { Selection } from '../search/selection.ts'
import { inSnapshot, type Snapshot, takeTurn } from '../search/snapshot.ts'
import { previewOf } from './preview.ts'

export type TracePage = {
  traces: TraceListed[]
  page: number
  total: number
  total_is_minimum: boolean
  not_searched: number
  not_searched_is_minimum: boolean
}

/** All statements of a search together. */
const searchMs = 3000

export async function listTraces(
  app: App,
  caller: Caller,
  query: z.infer<typeof traceQuery>,
): Promise<TracePage> {
  const { q, dataset_id, page, count, ...given } = query
  // Samples know a model whose name holds something sensitive by its fingerprint.
  const conditions =
    given.model === undefined ? given : { ...given, model: storableName(given.model) }
  const workspaceId = caller.workspace.id
  const dataset = dataset_id === undefined ? null : await requireDataset(app, caller, dataset_id)
  const selection: Selection = {
    workspaceId,
    at: app.clock.now(),
    conditions: dataset ? [conditions, dataset.conditions] : [conditions],
  }
  if (q === undefined) {
    return app.samples.longReads.run(workspaceId, () =>
      inSnapshot(app.storage, async (snapshot) => {
        const list = count === 'exact' ? listAndCount : listSelected
        const found = await list(snapshot, selection, page)
        return shape(snapshot, workspaceId, page, found, { count: 0, isMinimum: false })
      }),
    )
  }
  const sought = foldForSearch(q)
  refuseTooShort(sought)
  return app.samples.searches.run(workspaceId, () =>
    inSnapshot(app.storage, async (snapshot) => {
      await takeTurn(snapshot, workspaceId)
      const endMs = app.clock.monotonicMs() + searchMs
      const found = await searchSamples(snapshot, selection, sought, {
        pageEnd: page * samplesPerPage,
        countMax: searchCountMax,
        overdue: () => app.clock.monotonicMs() > endMs,
      })
      const ids = found.ids.slice((page - 1) * samplesPerPage, page * samplesPerPage)
      const outside = await countOutside(snapshot, selection)
      return shape(snapshot, workspaceId, page, { ...found, ids }, outside)
    }),
  )
}

/** A letter and the accent behind it may be two characters as they are sent, and are one to the search. */
function refuseTooShort(sought: string): void {
  if ([...sought].length >= searchCharactersMin) return
  throw new Refusal(
    'BAD_REQUEST',
    `query field q: must have ${searchCharactersMin} to ${searchCharactersMax} characters, counting a letter with its accent as one.`,
  )
}

/** The ids of one page and how many there are; beyond what is counted, as far as the page shows. */
async function listSelected(
  snapshot: Snapshot,
  selection: Selection,
  page: number,
): Promise<Found> {
  const offset = (page - 1) * samplesPerPage
  if (offset + samplesPerPage <= sampleCountMax) {
    const ids = await readIds(snapshot, selection, { limit: sampleCountMax + 1, offset: 0 })
    return {
      ids: ids.slice(offset, offset + samplesPerPage),
      total: Math.min(ids.length, sampleCountMax),
      isMinimum: ids.length > sampleCountMax,
    }
  }
  const ids = await readIds(snapshot, selection, { limit: samplesPerPage + 1, offset })
  if (ids.length === 0) {
    // There are no more than lie before the page, which were passed over just now.
    const { count, isMinimum } = await countListed(snapshot, selection, offset)
    return { ids, total: count, isMinimum }
  }
  const shown = ids.slice(0, samplesPerPage)
  return { ids: shown, total: offset + shown.length, isMinimum: ids.length > samplesPerPage }
}

/** The ids of one page and how many there are, however many. */
async function listAndCount(
  snapshot: Snapshot,
  selection: Selection,
  page: number,
): Promise<Found> {
  const offset = (page - 1) * samplesPerPage
  const ids = await readIds(snapshot, selection, { limit: samplesPerPage, offset })
  const { count, isMinimum } = await countToTheEnd(snapshot, selection)
  return { ids, total: count, isMinimum }
}

async function shape(
  snapshot: Snapshot,
  workspaceId: string,
  page: number,
  found: Found,
  outside: { count: number; isMinimum: boolean },
): Promise<TracePage> {
  const rows = await readListed(snapshot, workspaceId, found.ids)
  return {
    traces: await listed(rows),
    page,
    total: found.total,
    total_is_minimum: found.isMinimum,
    not_searched: outside.count,
    not_searched_is_minimum: outside.isMinimum,
  }
}

const heavyCharacters = 64 * 1024
const turns = new LoopTurns()

async function listed(rows: readonly ListedRow[]): Promise<TraceListed[]> {
  const traces: TraceListed[] = []
  for (const { conversation, ...row } of rows) {
    // Reading a long one takes a while, so each has a turn of the event loop to itself.
    if (conversation !== null && conversation.length > heavyCharacters) await turns.next()
    const preview = conversation && previewOf(readStoredText(conversation))
    traces.push({ ...summaryOf(row), preview: preview || null })
  }
  return traces
}
