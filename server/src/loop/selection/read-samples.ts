// The samples that a pipeline selects, newest first, with their texts: a few at a time, so that memory stays the same.
import { sql } from 'kysely'
import type { Giver, Verdict } from '#contract/sample.ts'
import { portions } from '../../lib/portions.ts'
import { readCorrections } from '../../samples/feedback/signal-store.ts'
import { type Mark, readMarks } from './mark-store.ts'
import type { SelectionSettings } from './rows-selection.ts'
import { selectedSamples } from './selected-samples.ts'
import { type ReadPorts, type SelectedText, SelectedTexts } from './selected-texts.ts'

export type SelectedSample = SelectedText & {
  id: string
  verdict: Verdict
  verdictBy: Giver
  signalId: string
  correction: string | null
  mark: Mark | null
}

/** Large, because the database looks through the whole selection for each page. */
const rowsPerPage = 10_000
const portionMost = { items: 100, bytes: 8 * 1024 * 1024 }

type Row = {
  id: string
  workspace_id: string
  object_key: string | null
  verdict: Verdict
  verdict_by: Giver
  signal_id: string
  bytes: number
  mark: Mark | null
}

/** Of those that `wants` asks for, without those that are deleted meanwhile. Throws StorageAway, with `leavesOut` only where none can be read. */
export async function* readSelected(
  ports: ReadPorts,
  settings: SelectionSettings,
  { at, leavesOut, wants }: { at: Date; leavesOut: boolean; wants: (mark: Mark | null) => boolean },
): AsyncGenerator<SelectedSample[]> {
  const texts = new SelectedTexts(ports, leavesOut)
  for await (const page of pages(ports, settings, at)) {
    for (const portion of portions(wanted(page, wants), portionMost)) {
      yield await withTexts(ports, texts, portion)
    }
  }
  texts.end()
}

/** Asked row by row, because the answer changes with what was read. */
function* wanted(page: readonly Row[], wants: (mark: Mark | null) => boolean): Generator<Row> {
  for (const row of page) if (wants(row.mark)) yield row
}

async function* pages(
  { storage: { db } }: ReadPorts,
  settings: SelectionSettings,
  at: Date,
): AsyncGenerator<Row[]> {
  const { workspaceId, tag, tags, conditions, datasetConditions: datasets, pipelineId } = settings
  const isSelected = selectedSamples({ workspaceId, at, tag, tags, datasets, conditions })
  for (let before = 'ffffffff-ffff-ffff-ffff-ffffffffffff'; ;) {
    const { rows } = await sql<Row>`
      select s.id, s.workspace_id, s.object_key, s.verdict, s.verdict_by, s.signal_id,
        s.bytes + coalesce(
          (select octet_length(g.correction) from signal g where g.id = s.signal_id), 0
        ) as bytes
      from sample s
      where s.workspace_id = ${workspaceId} and s.id < ${before} and ${isSelected}
        and s.verdict in ('accepted', 'edited')
      order by s.id desc limit ${rowsPerPage}
    `.execute(db)
    const last = rows.at(-1)
    if (!last) return
    const ids = rows.map(({ id }) => id)
    const marks = await readMarks(db, pipelineId, ids)
    yield rows.map((row) => ({ ...row, mark: marks.get(row.id) ?? null }))
    if (rows.length < rowsPerPage) return
    before = last.id
  }
}

async function withTexts(
  { storage: { db } }: ReadPorts,
  selected: SelectedTexts,
  rows: readonly Row[],
): Promise<SelectedSample[]> {
  const edited = rows.filter(({ verdict }) => verdict === 'edited')
  const texts = await selected.read(rows)
  const corrections = await readCorrections(
    db,
    edited.map(({ signal_id }) => signal_id),
  )
  return rows.flatMap((row) => {
    const text = texts.get(row.id)
    if (text === undefined) return []
    return {
      id: row.id,
      verdict: row.verdict,
      verdictBy: row.verdict_by,
      signalId: row.signal_id,
      correction: corrections.get(row.signal_id) ?? null,
      mark: row.mark,
      ...text,
    }
  })
}
