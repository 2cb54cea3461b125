// Which samples a pipeline trains on, as one condition on the table of samples: those with its own tag, with any of its tags or in
// any of its datasets, and of these only what meets its conditions.
import { type RawBuilder, sql } from 'kysely'
import type { Conditions } from '#contract/dataset.ts'
import { selected } from '../../samples/search/selection.ts'

export type PipelineSelection = {
  workspaceId: string
  at: Date
  tag: string
  tags: readonly string[]
  /** The conditions of its datasets. One that was deleted is not among them and selects nothing. */
  datasets: readonly Conditions[]
  conditions: Conditions | null
}

/** On the sample `s`. */
export function selectedSamples(selection: PipelineSelection): RawBuilder<boolean> {
  const { workspaceId, at, tag, tags, datasets, conditions } = selection
  const tagged: Conditions = { tags: [...new Set([tag, ...tags])], match: 'any' }
  const own = conditions === null ? [] : [conditions]
  const ways = [tagged, ...datasets].map((way) =>
    selected({ workspaceId, at, conditions: [way, ...own] }),
  )
  return sql<boolean>`(${sql.join(ways, sql` or `)})`
}
