// Keeps what a selection found of its pipeline: counts by feedback are corrected by it until the next one.
import { readVersions } from '../version/version-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { type Reader, setMeasured } from '../pipeline/pipeline-store.ts'
import { countNew } from './count-new.ts'
import { countedFor, distanceOf, lackingOf } from './minimums.ts'
import { pipelineSelection } from './pipeline-selection.ts'
import type { RowsSelection } from './rows-selection.ts'

type Measured = Pick<
  RowsSelection,
  'trainRows' | 'unlearnedRows' | 'holdoutRows' | 'skipped' | 'leftOut' | 'test'
>

/** `at`: when the selection began. Where it lacked some, this may read all of a workspace. */
export async function keepMeasured(
  db: Reader,
  pipeline: PipelineRow,
  selection: Measured,
  at: Date,
): Promise<void> {
  const { leftOut } = selection
  const skipped = selection.skipped.reduce((sum, { count }) => sum + count, 0)
  // Of what could not be read for now nothing is known, so what was known of it before stays.
  const last_skipped = Math.min(Math.max(pipeline.last_skipped, skipped - leftOut), skipped)
  const test_sizes = selection.test?.firstSizes ?? null
  if (leftOut > 0) {
    return setMeasured(db, pipeline.id, { last_skipped, test_sizes, shortfall: pipeline.shortfall })
  }
  const measured = { last_skipped, test_sizes, shortfall: null }
  const { live } = await readVersions(db, pipeline.id)
  const lacking = lackingOf(selection, live !== null)
  if (lacking.samples === 0) return setMeasured(db, pipeline.id, measured)
  const counts = await countNew(db, pipeline, await pipelineSelection(db, pipeline, at), null)
  const { have } = distanceOf(counts, countedFor({ ...pipeline, ...measured }, live))
  const shortfall = { ...lacking, have, at: at.toISOString() }
  return setMeasured(db, pipeline.id, { ...measured, shortfall })
}
