// While the platform has the loop switched off, its routes are refused but for those that show pipelines and those that
// end something (spec 2, errors: LOOP_COMING_SOON).
import type { Route } from '#contract/route.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'

/** Before the body is read, where no body could change the answer. */
export function refuseWhileLoopIsOff(app: App, record: Route): void {
  if (isHeldBack(app, record) && record.loopOff === undefined) throw comingSoon()
}

/** Pausing a pipeline stays possible, and nothing else that its route can do. */
export function refuseUnlessPausing(app: App, record: Route, body: unknown): void {
  if (!isHeldBack(app, record) || record.loopOff !== 'pausing') return
  const { enabled, expected_revision: _, ...others } = (body ?? {}) as Record<string, unknown>
  if (enabled !== false || Object.keys(others).length > 0) throw comingSoon()
}

function isHeldBack(app: App, record: Route): boolean {
  return !app.config.loopOn && record.path.startsWith('/api/loop/') && record.loopOff !== 'served'
}

function comingSoon(): Refusal {
  return new Refusal('LOOP_COMING_SOON', 'The improvement loop is switched off on this platform.')
}
