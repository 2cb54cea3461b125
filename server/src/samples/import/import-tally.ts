// What became of each row of an import, and the counts an answer gives of it.
import { type ImportResult, type ImportShape, importShapes } from '#contract/import.ts'
import { importReasonsMax } from '#contract/limits.ts'
import type { PreparedRow, RefusedRow, RowColumns } from './import-messages.ts'
import { idsOf } from './row-columns.ts'

export type Tally = {
  imported: number
  alreadyPresent: number
  reviewed: number
  needsReview: number
  verdictsNotSaved: number
  refused: RefusedRow[]
  notSaved: number[]
  byShape: Record<ImportShape, number>
  samples: { position: number; id: string }[]
}

export function newTally(): Tally {
  return {
    imported: 0,
    alreadyPresent: 0,
    reviewed: 0,
    needsReview: 0,
    verdictsNotSaved: 0,
    refused: [],
    notSaved: [],
    byShape: Object.fromEntries(importShapes.map((shape) => [shape, 0])) as Tally['byShape'],
    samples: [],
  }
}

export function countShapes(tally: Tally, { shapeCounts }: RowColumns): void {
  for (const shape of importShapes) tally.byShape[shape] += shapeCounts[shape] ?? 0
}

export function countImported(tally: Tally, row: PreparedRow): void {
  tally.imported += 1
  tally.samples.push({ position: row.position, id: row.id })
  if (row.feedback === null) tally.needsReview += 1
  else tally.reviewed += 1
}

const refusedByDatabase = 'The database does not take this row.'

/** A row that was shaped and prepared like any other, and is then taken in no way. */
export function countRefused(tally: Tally, { position, shape }: PreparedRow): void {
  tally.byShape[shape] -= 1
  tally.refused.push({ position, reason: refusedByDatabase })
}

export function countAllImported(tally: Tally, rows: RowColumns): void {
  const { positions, reviewed } = rows
  tally.imported += positions.length
  tally.reviewed += reviewed
  tally.needsReview += positions.length - reviewed
  for (const [at, id] of idsOf(rows).entries()) {
    tally.samples.push({ position: positions[at] as number, id })
  }
}

export type PresentRow = {
  id: string
  /** Its time is over, and it only waits to be erased. */
  expired: boolean
  /** Had no feedback of a person or an import before this call. */
  unreviewed: boolean
  /** This call's verdict was added. */
  marked: boolean
}

export function countPresent(tally: Tally, row: PreparedRow, present: PresentRow): void {
  tally.alreadyPresent += 1
  tally.samples.push({ position: row.position, id: present.id })
  if (present.marked) tally.reviewed += 1
  else if (present.unreviewed) tally.needsReview += 1
}

/** One whose feedback could not be added: `present` is how it was found afterwards. */
export function countPresentLate(tally: Tally, row: PreparedRow, present: PresentRow): void {
  countPresent(tally, row, present)
  if (present.unreviewed && row.feedback !== null) tally.verdictsNotSaved += 1
}

export function isIncomplete(tally: Tally): boolean {
  return tally.notSaved.length > 0 || tally.verdictsNotSaved > 0
}

export function resultOf(tally: Tally, importId: string): ImportResult {
  const samples = tally.samples.toSorted((a, b) => a.position - b.position)
  return {
    import_id: importId,
    imported: tally.imported,
    already_present: tally.alreadyPresent,
    reviewed: tally.reviewed,
    needs_review: tally.needsReview,
    refused: tally.refused.length,
    refused_why: whyRefused(tally.refused),
    not_saved: tally.notSaved.length,
    not_saved_rows: tally.notSaved.toSorted((a, b) => a - b),
    verdicts_not_saved: tally.verdictsNotSaved,
    by_shape: tally.byShape,
    trace_ids: samples.map(({ id }) => id),
  }
}

const otherReasons = 'Other reasons.'

/** Every refused row under its reason, so that a file can be put right in one go. */
function whyRefused(refused: readonly RefusedRow[]): ImportResult['refused_why'] {
  const byReason = new Map<string, number[]>()
  for (const { position, reason } of refused.toSorted((a, b) => a.position - b.position)) {
    const known = byReason.has(reason) || byReason.size < importReasonsMax
    const key = known ? reason : otherReasons
    const rows = byReason.get(key)
    if (rows) rows.push(position)
    else byReason.set(key, [position])
  }
  return [...byReason].map(([reason, rows]) => ({ reason, rows }))
}
