// Finds the samples that hold a text, newest first: the index names candidates, their texts decide. It goes back in time
// only as far as the page and the count need.
import { type IndexLookup, lookUp } from './candidates.ts'
import { type Missing, Pace } from './pace.ts'
import {
  type Candidate,
  checkCandidates,
  readSearchedSegments,
  type SearchedSegment,
  searchQueue,
  searchSelected,
} from './search-store.ts'
import { type Selection, selectsAll } from './selection.ts'
import { type Snapshot, tookTooLong } from './snapshot.ts'

export type Wanted = {
  /** How many of the newest must be known for the page. */
  pageEnd: number
  /** How far to count. */
  countMax: number
  /** Whether there is no time left. */
  overdue(): boolean
}

export type Found = { ids: string[]; total: number; isMinimum: boolean }

type Search = { snapshot: Snapshot; selection: Selection; sought: string; wanted: Wanted }

/** A segment that may still hold something: what is left in it is older than `before`. */
type Left = { segment: SearchedSegment; docs: number[] | null; before: string }

export async function searchSamples(
  snapshot: Snapshot,
  selection: Selection,
  sought: string,
  wanted: Wanted,
): Promise<Found> {
  const search: Search = { snapshot, selection, sought, wanted }
  const hits = await searchQueue(snapshot, selection, sought, enoughFor(wanted))
  const segments = await readSearchedSegments(snapshot, selection)
  const probe = segments.reduce<SearchedSegment | null>(
    (most, segment) => (most && most.samples >= segment.samples ? most : segment),
    null,
  )
  if (!probe) return found(hits, wanted, true)
  const lookup = await lookUp(snapshot, sought, probe)
  const pace = new Pace(segments, !selectsAll(selection))
  pace.noteCandidates(probe.samples, lookup.probed)
  let left: Left[] = segments.map((segment) => ({
    segment,
    docs: null,
    // Greater than the id itself, which is still to come.
    before: `${segment.lastId}~`,
  }))
  while (left.length > 0) {
    const missing = missingFor(wanted, hits, left[0]?.before ?? '')
    if (isOver(wanted, missing, pace)) break
    if (pace.shouldScan(missing)) return scanSelected(search, pace)
    await fillIn(lookup, left, pace, missing)
    const batch = takeBatch(left, pace.batchSize(missing))
    hits.push(...(await check(search, pace, left, batch)))
    left = left
      .filter(({ docs }) => docs === null || docs.length > 0)
      .sort((a, b) => (a.before < b.before ? 1 : -1))
  }
  return found(hits, wanted, left.length === 0)
}

/** Looks at the selected samples one after the other, without the index. */
async function scanSelected(search: Search, pace: Pace): Promise<Found> {
  const { snapshot, selection, sought, wanted } = search
  const hits: string[] = []
  for (let before: string | null = null; ;) {
    const missing = missingFor(wanted, hits, before ?? '~')
    if (before !== null && isOver(wanted, missing, pace)) return found(hits, wanted, false)
    const limit = pace.scanSize(missing)
    const seen = await searchSelected(snapshot, selection, sought, { before, limit })
    pace.noteScanned(seen.length)
    for (const { id, fits } of seen) if (fits) hits.push(id)
    before = seen.at(-1)?.id ?? null
    if (seen.length < limit || before === null) return found(hits, wanted, true)
  }
}

/** One more than is counted, which tells that there are more. */
function enoughFor({ pageEnd, countMax }: Wanted): number {
  return Math.max(pageEnd, countMax) + 1
}

function found(hits: string[], wanted: Wanted, complete: boolean): Found {
  const ids = hits.sort().reverse()
  const total = Math.min(ids.length, enoughFor(wanted) - 1)
  return { ids, total, isMinimum: !complete || ids.length > total }
}

/** Hits that are not older than all that is still to come have their place in the order for good. */
function missingFor(wanted: Wanted, hits: readonly string[], before: string): Missing {
  const settled =
    hits.length < wanted.pageEnd ? hits.length : hits.filter((id) => id >= before).length
  return { page: wanted.pageEnd - settled, count: enoughFor(wanted) - hits.length }
}

/** When time runs out, what is known is shown if it fills the page. */
function isOver(wanted: Wanted, missing: Missing, pace: Pace): boolean {
  if (pace.isDone(missing)) return true
  if (!wanted.overdue()) return false
  if (missing.page > 0) throw tookTooLong()
  return true
}

/** Looks up the candidates of the next segments, of as many as are likely to hold what is missing. */
async function fillIn(
  lookup: IndexLookup,
  left: readonly Left[],
  pace: Pace,
  missing: Missing,
): Promise<void> {
  const next = left.slice(0, pace.segmentsFor(missing)).filter(({ docs }) => docs === null)
  const docs = await lookup.in(next.map(({ segment }) => segment))
  next.forEach((of, i) => {
    of.docs = docs[i] ?? []
    pace.noteCandidates(of.segment.samples, of.docs.length)
  })
}

/** Candidates of the newest segments, newest first. */
function takeBatch(left: readonly Left[], size: number): Candidate[] {
  const batch: Candidate[] = []
  for (const { segment, docs } of left) {
    if (docs === null || batch.length >= size) break
    for (const doc of docs.splice(0, size - batch.length)) {
      batch.push({ segmentId: segment.id, doc })
    }
  }
  return batch
}

/** Ids of the candidates that fit; what is left of their segments is older than they are. */
async function check(
  { snapshot, selection, sought }: Search,
  pace: Pace,
  left: readonly Left[],
  batch: readonly Candidate[],
): Promise<string[]> {
  if (batch.length === 0) return []
  const checked = await checkCandidates(snapshot, selection, sought, batch)
  pace.noteChecked(batch.length, checked.length)
  const bySegment = new Map(left.map((of) => [of.segment.id, of]))
  for (const { id, segmentId } of checked) {
    const of = bySegment.get(segmentId)
    if (of && id < of.before) of.before = id
  }
  return checked.map(({ id }) => id)
}
