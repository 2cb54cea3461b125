// Which attempts of a pipeline have gone live. What is marked as learned by another one is not learned: the mark is made before the
// version exists, and an attempt that is cancelled in between leaves it behind.
import { type RawBuilder, sql } from 'kysely'

/** Their numbers, as an array. */
export function liveAttempts(pipelineId: string): RawBuilder<number[]> {
  return sql`array(select attempt_no from version where pipeline_id = ${pipelineId})`
}
