// Whether a pipeline goes on by itself, and if not, what holds it.
import type { PipelineState } from '#contract/pipeline.ts'

export function pipelineState(pipeline: {
  enabled: boolean
  pausedForFunds: boolean
  maxVersions: number | null
  versionsTotal: number
}): PipelineState {
  const { enabled, pausedForFunds, maxVersions, versionsTotal } = pipeline
  if (!enabled) return pausedForFunds ? 'paused_for_funds' : 'paused'
  return isComplete(maxVersions, versionsTotal) ? 'complete' : 'enabled'
}

/** No attempt starts, by itself or by a member, until the limit is raised or removed. */
export function isComplete(maxVersions: number | null, versionsTotal: number): boolean {
  return maxVersions !== null && versionsTotal >= maxVersions
}
